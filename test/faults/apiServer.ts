// The simulated API server in the same process: the store and verbs that it serves over HTTPS, reached through faulty links.
import type { ApiAnswer, ApiClient, ApiRequest } from '../../lib/adapters/kubernetes/apiClient.ts';
import { ApiStatus } from '../../lib/local/cluster/apiStatus.ts';
import { discover } from '../../lib/local/cluster/discovery.ts';
import { type Handled, handle } from '../../lib/local/cluster/handle.ts';
import { textAt } from '../../lib/local/cluster/object.ts';
import { parseRequest, type RequestInfo } from '../../lib/local/cluster/request.ts';
import { builtInResources, type ResourceType } from '../../lib/local/cluster/resources.ts';
import { createStore, type Store } from '../../lib/local/cluster/store.ts';
import { type OpenWatch, openWatch } from '../../lib/local/cluster/watch.ts';
import type { Instant } from '../../lib/model/time.ts';
import { createDeleteLog, type DeleteLog, type DeleteRequest, type Judge, type Sent } from './deleteLog.ts';
import { delayedSink, type Fate, type Link, refusal, WatchResponse } from './links.ts';

export interface ApiServer {
  readonly store: Store;
  readonly deletes: readonly DeleteRequest[];
  readonly isUndone: DeleteLog['isUndone'];
  resource(plural: string): ResourceType;
  connect(link: Link): ApiClient;
  /** By plural name; the watches of these kinds end. */
  stopServing(plural: string): void;
  serve(plural: string): void;
  /** Whether the kind is served now or was a moment ago: an earlier read may still lead to a DELETE. */
  isServed(plural: string): boolean;
  servesNow(plural: string): boolean;
  /** Ends every watch with 410 Gone and forgets all versions before now. */
  compact(): void;
  /** Replaces the store by an empty one, or by its state so many versions ago; every watch breaks. */
  replaceStore(by?: { readonly versionsBack: number }): void;
  /** The incarnation as messages and rows name it (docs/reference/incarnations.md). */
  incarnation(): string;
}

/** Reads are younger than a second when a DELETE is sent, and the request takes a moment to arrive. */
const moment = 1500;
const defaultTimeout = 5000;

export function createApiServer(now: () => Instant, judge: () => Judge): ApiServer {
  let store = createStore();
  let served: readonly ResourceType[] = builtInResources;
  const log = createDeleteLog(now, judge);
  const missingSince = new Map<string, Instant>();
  const streams = new Set<{
    readonly watch: OpenWatch;
    readonly stream: WatchResponse;
    readonly resource: ResourceType;
  }>();
  const end = (which: (resource: ResourceType) => boolean, how: 'expire' | 'break') => {
    for (const one of [...streams].filter(({ resource }) => which(resource))) {
      if (how === 'expire') one.watch.expire();
      else one.stream.destroy(new Error('the connection was reset'));
    }
  };
  const carryOut = (request: ApiRequest, parsed: RequestInfo, sent: Sent): Handled =>
    log.around(parsed, { store, sent }, () =>
      handle({
        store,
        request: parsed,
        contentType: request.contentType ?? 'application/json',
        body: request.body,
        manager: parsed.query.get('fieldManager') || 'sluice',
        now: now(),
      }),
    );
  const answer = (request: ApiRequest, sent: Sent): Extract<ApiAnswer, { kind: 'Answer' }> => {
    const date = new Date(now()).toUTCString();
    try {
      const parsed = parseRequest(request.method, request.path, served);
      if (parsed.kind === 'Resource') {
        const { status, json } = carryOut(request, parsed, sent);
        return answerOf(status, json, date);
      }
      const found = discover(parsed.path, served);
      if (!found) return { kind: 'Answer', status: 404, body: {}, text: '404 page not found', date };
      return answerOf(200, JSON.stringify('json' in found ? found.json : {}), date);
    } catch (error) {
      if (!(error instanceof ApiStatus)) throw error;
      return answerOf(error.code, JSON.stringify(error.body), date);
    }
  };
  return {
    get store() {
      return store;
    },
    deletes: log.deletes,
    isUndone: log.isUndone,
    resource: (plural) => resourceOf(builtInResources, plural),
    isServed: (plural) => (missingSince.get(plural) ?? Number.POSITIVE_INFINITY) >= now() - moment,
    servesNow: (plural) => served.some((type) => type.plural === plural),
    stopServing(plural) {
      missingSince.set(plural, now());
      served = served.filter((type) => type.plural !== plural);
      end((type) => type.plural === plural, 'break');
    },
    serve(plural) {
      missingSince.delete(plural);
      served = builtInResources.filter((type) => type.plural === plural || served.includes(type));
    },
    compact() {
      store.compact();
      end(() => true, 'expire');
    },
    replaceStore(by) {
      store = by ? store.restored(store.version() - by.versionsBack) : createStore();
      log.replaced((key) => store.get(resourceOf(builtInResources, 'pods'), key));
      end(() => true, 'break');
    },
    incarnation() {
      const namespace = store.get(resourceOf(builtInResources, 'namespaces'), 'kube-system');
      const restored = textAt(namespace, 'metadata', 'annotations', 'sluice.dev/incarnation');
      return `${namespace?.metadata.uid}${restored === undefined ? '' : `.${restored}`}`;
    },
    connect(link) {
      /** Undefined once it may be looked at. */
      const arrive = async (request: ApiRequest, fate: Fate): Promise<ApiAnswer | undefined> => {
        const { timeout = defaultTimeout, subject, method } = request;
        if (link.isCut() || fate.failure === 'Unsent') {
          await link.sleep(timeout);
          return { kind: 'Failed', why: `${method} ${subject}: no answer within ${timeout} ms` };
        }
        await link.sleep(fate.before);
        if (typeof fate.failure === 'number') return refusal(fate.failure, now());
        return undefined;
      };
      return {
        async send(request) {
          const fate = link.fate(request);
          const sent = log.sent(request);
          const failed = await arrive(request, fate);
          if (failed) return failed;
          const answered = answer(request, sent);
          const { timeout = defaultTimeout } = request;
          const isLate = fate.failure === 'Unheard' || fate.before + fate.after > timeout || link.isCut();
          await link.sleep(isLate ? Math.max(0, timeout - fate.before) : fate.after);
          if (!isLate) return answered;
          return { kind: 'Failed', why: `${request.method} ${request.subject}: no answer within ${timeout} ms` };
        },
        async open(request, signal) {
          const failed = await arrive(request, link.fate(request));
          if (failed) return failed;
          const parsed = parsedOr(request, served);
          if (!('resource' in parsed)) return parsed;
          const stream = new WatchResponse();
          const sink = delayedSink(stream, link);
          const watch = openWatch({ store, request: parsed, sink, bookmarkInterval: 60_000 });
          const open = { watch, stream, resource: parsed.resource };
          streams.add(open);
          stream.on('close', () => {
            watch.stop();
            streams.delete(open);
          });
          signal.addEventListener('abort', () => stream.destroy(), { once: true });
          return { kind: 'Stream', response: stream.asIncomingMessage() };
        },
        close: () => {},
      };
    },
  };
}

function parsedOr(request: ApiRequest, served: readonly ResourceType[]): RequestInfo | ApiAnswer {
  try {
    const parsed = parseRequest(request.method, request.path, served);
    if (parsed.kind === 'Resource') return parsed;
  } catch (error) {
    if (error instanceof ApiStatus) return answerOf(error.code, JSON.stringify(error.body), '');
    throw error;
  }
  return { kind: 'Answer', status: 404, body: {}, text: '404 page not found' };
}

function answerOf(status: number, json: string, date: string): Extract<ApiAnswer, { kind: 'Answer' }> {
  return { kind: 'Answer', status, body: JSON.parse(json), date };
}

function resourceOf(resources: readonly ResourceType[], plural: string): ResourceType {
  const found = resources.find((type) => type.plural === plural);
  if (!found) throw new Error(`no resource ${plural} is served`);
  return found;
}
