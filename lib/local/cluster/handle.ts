// Executes one parsed request against the store: the verbs of the API.
import { badRequest, invalid } from './apiStatus.ts';
import { create } from './create.ts';
import { listJson, listPage } from './list.ts';
import { notSupported } from './names.ts';
import { at, type JsonMap, type KubeObject, listAt } from './object.ts';
import { evict, remove } from './remove.ts';
import type { RequestInfo } from './request.ts';
import { apiVersionOf } from './resources.ts';
import { parseSelectors, selectorTexts } from './selectors.ts';
import { objectJson } from './serialize.ts';
import { dryRunOf, type Store } from './store.ts';
import { tableOf } from './table.ts';
import { patch, replace } from './update.ts';
import { existing, keyFor, type WriteContext } from './writeContext.ts';

export interface Handling {
  readonly store: Store;
  readonly request: RequestInfo;
  readonly contentType: string;
  /** Undefined for an empty body. */
  readonly body: unknown;
  readonly manager: string;
  readonly now: number;
  /** The client asked for a Table. */
  readonly asTable?: boolean;
}

export interface Handled {
  readonly status: number;
  readonly json: string;
  /** UID of the object acted on, for observers. */
  readonly uid?: string;
}

/** All verbs except watch; throws ApiStatus for a refusal. */
export function handle(asked: Handling): Handled {
  const handling = isDryRun(asked) ? { ...asked, store: dryRunOf(asked.store) } : asked;
  const { store, request } = handling;
  const context: WriteContext = { store, request, manager: handling.manager, now: handling.now };
  const { verb, subresource } = request;
  switch (verb) {
    case 'get': {
      const object = existing(context);
      const { resourceVersion } = object.metadata;
      return handling.asTable ? table([object], { resourceVersion }, handling) : shown(object, request);
    }
    case 'list': {
      if (!handling.asTable) return { status: 200, json: listJson(store, request) };
      const { objects, metadata } = listPage(store, request);
      return table(objects, metadata, handling);
    }
    case 'create':
      if (subresource === 'eviction') return evicted(handling, context);
      return { ...shown(create(context, mapBody(handling)), request), status: 201 };
    case 'update':
      return shown(replace(context, mapBody(handling)), request);
    case 'patch': {
      // Server-side apply creates what does not exist.
      const isNew = store.get(request.resource, keyFor(request.namespace, request.name)) === undefined;
      const patched = patch(context, handling.contentType, handling.body);
      return { ...shown(patched, request), status: isNew ? 201 : 200 };
    }
    case 'delete':
      return removed(handling, context);
    case 'deletecollection':
      return removedCollection(handling);
    case 'watch':
      throw new Error('a watch is a stream: see watch.ts');
    default:
      return verb satisfies never;
  }
}

/** In the query, or for deletions and evictions in their DeleteOptions. Any other value than `All` is refused, as upstream does. */
function isDryRun({ request: { query, verb, subresource, resource, name }, body }: Handling): boolean {
  const options = verb === 'delete' || verb === 'deletecollection' ? body : undefined;
  const inBody = listAt(subresource === 'eviction' ? at(body, 'deleteOptions') : options, 'dryRun');
  const asked = [...query.getAll('dryRun'), ...inBody];
  const wrong = asked.filter((one) => one !== 'All').map((one) => notSupported('dryRun', one, ['All']));
  if (wrong.length > 0) throw invalid(resource, name, wrong);
  return asked.length > 0;
}

function table(objects: readonly KubeObject[], metadata: JsonMap, { request, now }: Handling): Handled {
  return { status: 200, json: JSON.stringify(tableOf(objects, { request, metadata, now })) };
}

function shown(object: KubeObject, request: RequestInfo): Handled {
  return { status: 200, json: objectJson(object, request.resource, request.version), uid: object.metadata.uid };
}

function mapBody(handling: Handling): JsonMap {
  const { body } = handling;
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as JsonMap;
  const { kind } = handling.request.resource;
  throw badRequest(
    `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; json parse error`,
  );
}

function evicted(handling: Handling, context: WriteContext): Handled {
  const object = existing(context);
  const { store, now, request } = handling;
  const answer = evict({ store, resource: request.resource, object, now }, mapBody(handling));
  return { status: 201, json: JSON.stringify(answer), uid: object.metadata.uid };
}

function removed(handling: Handling, context: WriteContext): Handled {
  const object = existing(context);
  const { store, now, request } = handling;
  const options = handling.body === undefined ? {} : mapBody(handling);
  const answer = remove({ store, resource: request.resource, object, options, now });
  return { status: 200, json: JSON.stringify(answer), uid: object.metadata.uid };
}

function removedCollection(handling: Handling): Handled {
  const { store, request, now } = handling;
  const { resource, namespace, version, query } = request;
  const selects = parseSelectors(selectorTexts(query), resource, apiVersionOf(resource, version));
  const json = listJson(store, request);
  const options = handling.body === undefined ? {} : mapBody(handling);
  for (const object of store.list(resource, namespace)) {
    if (selects?.(object) ?? true) remove({ store, resource, object, options, now });
  }
  return { status: 200, json };
}
