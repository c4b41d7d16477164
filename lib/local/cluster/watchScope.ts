// Filters changes for one watch by namespace and selectors; an object that leaves the selection is sent as DELETED.
import type { KubeObject } from './object.ts';
import type { RequestInfo } from './request.ts';
import { apiVersionOf } from './resources.ts';
import { parseSelectors, type Selector, selectorTexts } from './selectors.ts';
import type { StoreChange } from './store.ts';

export interface WatchScope {
  has(object: KubeObject): boolean;
  /** Undefined if the watch does not get the change. */
  view(change: StoreChange): { readonly type: StoreChange['type']; readonly object: KubeObject } | undefined;
}

export function watchScope(request: RequestInfo): WatchScope {
  const { resource, namespace, version, query } = request;
  const selects = parseSelectors(selectorTexts(query), resource, apiVersionOf(resource, version));
  const has = (object: KubeObject) => isInScope(object, namespace, selects);
  return {
    has,
    view(change) {
      if (change.resource !== resource) return undefined;
      const before = change.previous !== undefined && has(change.previous);
      const after = change.type !== 'DELETED' && has(change.object);
      if (after) return { type: before ? 'MODIFIED' : 'ADDED', object: change.object };
      if (!before) return undefined;
      return { type: 'DELETED', object: lastSeen(change) };
    },
  };
}

function isInScope(object: KubeObject, namespace: string | undefined, selects: Selector | undefined): boolean {
  return (namespace === undefined || object.metadata.namespace === namespace) && (selects?.(object) ?? true);
}

/** The last selected state of an object that leaves the selection, with the version of the change. */
function lastSeen(change: StoreChange): KubeObject {
  if (change.type === 'DELETED' || !change.previous) return change.object;
  const metadata = { ...change.previous.metadata, resourceVersion: String(change.version) };
  return { ...change.previous, metadata };
}
