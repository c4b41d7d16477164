// Streams changes of a resource to one client: from a version or after the current state, with bookmarks and 410 Gone.
import { ApiStatus, expired } from './apiStatus.ts';
import type { KubeObject } from './object.ts';
import type { RequestInfo } from './request.ts';
import { apiVersionOf } from './resources.ts';
import { objectJson } from './serialize.ts';
import type { Store, StoreChange } from './store.ts';
import { tableOf } from './table.ts';
import { watchScope } from './watchScope.ts';

/** Output of the watch: the server's response. */
export interface WatchSink {
  write(line: string): void;
  /** Ends the stream without an error, as the API server does at a timeout. */
  end(): void;
}

export interface WatchOptions {
  readonly store: Store;
  readonly request: RequestInfo;
  readonly sink: WatchSink;
  /** Milliseconds between bookmarks; about a minute on a real API server. */
  readonly bookmarkInterval: number;
  /** If present, events contain a one-row Table; returns the time for ages. */
  readonly asTable?: () => number;
}

export interface OpenWatch {
  /** Stops sending; does not end the sink. */
  stop(): void;
  /** Sends the 410 ERROR event of an expired version and ends the stream. */
  expire(): void;
}

/** Throws the ApiStatus of a refusal before the stream starts. */
export function openWatch(options: WatchOptions): OpenWatch {
  const { store, request } = options;
  const from = startVersion(request.query.get('resourceVersion'));
  const scope = watchScope(request);
  const line = lines(options);
  const missed = from > 0 ? store.changesSince(request.resource, from) : undefined;
  const expire = () => line.error(`too old resource version: ${from} (${store.version()})`);
  if (from > 0 && !missed) {
    expire();
    return { stop: () => undefined, expire: () => undefined };
  }
  const forward = (change: StoreChange) => {
    const seen = scope.view(change);
    if (seen) line.event(seen.type, seen.object);
  };
  if (missed) for (const change of missed) forward(change);
  else {
    for (const object of store.list(request.resource, request.namespace))
      if (scope.has(object)) line.event('ADDED', object);
    line.bookmark({ 'k8s.io/initial-events-end': 'true' });
  }
  // A future version: send no changes before that version is reached.
  const unsubscribe = store.subscribe((change) => {
    if (change.version > from) forward(change);
  });
  // Race: a change may happen between the end of the stream and its close.
  const stopTimers = startTimers(options, line, unsubscribe);
  const stop = () => {
    unsubscribe();
    stopTimers();
  };
  return {
    stop,
    expire() {
      stop();
      expire();
    },
  };
}

interface Lines {
  event(type: StoreChange['type'], object: KubeObject): void;
  /** Does nothing if the client did not ask for bookmarks. */
  bookmark(annotations?: Readonly<Record<string, string>>): void;
  /** A 410 Status as the last event. */
  error(message: string): void;
}

function lines({ store, request, sink, asTable }: WatchOptions): Lines {
  const { resource, version, query } = request;
  const apiVersion = apiVersionOf(resource, version);
  const wantsBookmarks = ['1', 'true'].includes(query.get('allowWatchBookmarks') ?? '');
  const send = (type: string, json: string) => sink.write(`{"type":"${type}","object":${json}}\n`);
  return {
    event(type, object) {
      const metadata = { resourceVersion: object.metadata.resourceVersion };
      if (asTable) send(type, JSON.stringify(tableOf([object], { request, metadata, now: asTable() })));
      else send(type, objectJson(object, resource, version));
    },
    bookmark(annotations) {
      if (!wantsBookmarks) return;
      const metadata = { resourceVersion: String(store.version()), ...(annotations && { annotations }) };
      send('BOOKMARK', JSON.stringify({ kind: resource.kind, apiVersion, metadata }));
    },
    error(message) {
      send('ERROR', JSON.stringify(expired(message).body));
      sink.end();
    },
  };
}

/** Sends bookmarks periodically, and one before the timeout ends the stream. */
function startTimers(
  { request, sink, bookmarkInterval }: WatchOptions,
  line: Lines,
  onTimeout: () => void,
): () => void {
  const timeout = Number(request.query.get('timeoutSeconds') ?? 0) * 1000;
  const bookmarks = setInterval(() => line.bookmark(), bookmarkInterval).unref();
  const close = () => {
    line.bookmark();
    onTimeout();
    stop();
    sink.end();
  };
  const end = timeout > 0 ? setTimeout(close, timeout).unref() : undefined;
  const stop = () => {
    clearInterval(bookmarks);
    clearTimeout(end);
  };
  return stop;
}

function startVersion(text: string | null): number {
  if (!text) return 0;
  if (/^\d+$/.test(text)) return Number(text);
  const value = JSON.stringify(text);
  const message = `resourceVersion: Invalid value: ${value}: strconv.ParseUint: parsing ${value}: invalid syntax`;
  throw new ApiStatus({ code: 500, reason: '', message });
}
