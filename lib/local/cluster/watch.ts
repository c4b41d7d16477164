// Streams the changes of a resource to one client: from a version or with the present state first, with bookmarks and 410 Gone.
import { ApiStatus, expired } from './apiStatus.ts';
import { selectorTexts } from './list.ts';
import type { KubeObject } from './object.ts';
import type { RequestInfo } from './request.ts';
import { apiVersionOf } from './resources.ts';
import { parseSelectors, type Selector } from './selectors.ts';
import { objectJson } from './serialize.ts';
import type { Store, StoreChange } from './store.ts';

/** Where the lines go; the server's response. */
export interface WatchSink {
  write(line: string): void;
  /** Ends the stream as the API server does at a time-out: no error, just the end. */
  end(): void;
}

export interface WatchOptions {
  readonly store: Store;
  readonly request: RequestInfo;
  readonly sink: WatchSink;
  /** Milliseconds between bookmarks; about a minute on a real API server. */
  readonly bookmarkInterval: number;
}

export interface OpenWatch {
  /** Stops sending; does not end the sink. */
  stop(): void;
  /** Sends the 410 ERROR event of an expired version and ends the stream. */
  expire(): void;
}

/** Throws what a real API server answers before the stream starts. */
export function openWatch(options: WatchOptions): OpenWatch {
  const { store, request, sink } = options;
  const { resource, query } = request;
  const selects = parseSelectors(selectorTexts(query), resource, apiVersionOf(resource, request.version));
  const from = startVersion(query.get('resourceVersion'));
  const bookmarks = ['1', 'true'].includes(query.get('allowWatchBookmarks') ?? '');
  const timers: NodeJS.Timeout[] = [];
  let unsubscribe: (() => void) | undefined;

  const send = (type: string, json: string) => sink.write(`{"type":"${type}","object":${json}}\n`);
  const forward = (change: StoreChange) => {
    const type = change.resource === resource ? typeFor(change, request, selects) : undefined;
    if (!type) return;
    // An object that leaves the selection is shown as it was last seen, at the version of the change.
    const left = type === 'DELETED' && change.type !== 'DELETED' && change.previous;
    const shown = left ? atVersion(change.previous, change.version) : change.object;
    send(type, objectJson(shown, resource, request.version));
  };
  const bookmark = (annotations?: Readonly<Record<string, string>>) => {
    const metadata = { resourceVersion: String(store.version()), ...(annotations && { annotations }) };
    const apiVersion = apiVersionOf(resource, request.version);
    send('BOOKMARK', JSON.stringify({ kind: resource.kind, apiVersion, metadata }));
  };
  const stop = () => {
    unsubscribe?.();
    for (const timer of timers) clearTimeout(timer);
  };
  const finish = () => {
    stop();
    sink.end();
  };
  const expire = () => {
    send('ERROR', JSON.stringify(expired(`too old resource version: ${from} (${store.version()})`).body));
    finish();
  };

  const missed = from > 0 ? store.changesSince(resource, from) : undefined;
  if (from > 0 && !missed) {
    expire();
    return { stop, expire: () => undefined };
  }
  if (missed) for (const change of missed) forward(change);
  else {
    const present = store.list(resource, request.namespace).filter((object) => isInScope(object, request, selects));
    for (const object of present) send('ADDED', objectJson(object, resource, request.version));
    if (bookmarks) bookmark({ 'k8s.io/initial-events-end': 'true' });
  }
  unsubscribe = store.subscribe((change) => {
    if (change.version > from) forward(change);
  });
  if (bookmarks) timers.push(setInterval(bookmark, options.bookmarkInterval).unref());
  const timeout = Number(query.get('timeoutSeconds') ?? 0) * 1000;
  if (timeout > 0) {
    const close = () => {
      if (bookmarks) bookmark();
      finish();
    };
    timers.push(setTimeout(close, timeout).unref());
  }
  return { stop, expire };
}

function startVersion(text: string | null): number {
  if (!text) return 0;
  if (/^\d+$/.test(text)) return Number(text);
  const value = JSON.stringify(text);
  const message = `resourceVersion: Invalid value: ${value}: strconv.ParseUint: parsing ${value}: invalid syntax`;
  throw new ApiStatus({ code: 500, reason: '', message });
}

function isInScope(object: KubeObject, request: RequestInfo, selects: Selector | undefined): boolean {
  const { namespace } = request;
  return (namespace === undefined || object.metadata.namespace === namespace) && (selects?.(object) ?? true);
}

/** What the change looks like to somebody who sees selected objects only. */
function typeFor(
  change: StoreChange,
  request: RequestInfo,
  selects: Selector | undefined,
): StoreChange['type'] | undefined {
  const before = change.previous !== undefined && isInScope(change.previous, request, selects);
  const after = change.type !== 'DELETED' && isInScope(change.object, request, selects);
  if (before && after) return 'MODIFIED';
  if (after) return 'ADDED';
  return before ? 'DELETED' : undefined;
}

function atVersion(object: KubeObject, version: number): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
}
