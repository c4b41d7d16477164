// HTTPS handler of the simulated API server: authentication, parsing, authorization, faults, response and reports to observers.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type AccessOptions, authenticate, authorize, type User } from './access.ts';
import { ApiStatus } from './apiStatus.ts';
import { mediaType, parseBody, readBody } from './body.ts';
import { reviewOf } from './callerReviews.ts';
import type { ApiCall } from './calls.ts';
import { discover } from './discovery.ts';
import { type Faults, refusal } from './faults.ts';
import { handle } from './handle.ts';
import { textAt } from './object.ts';
import { type ParsedRequest, parseRequest, type RequestInfo } from './request.ts';
import type { ResourceType } from './resources.ts';
import type { Store } from './store.ts';
import { wantsTable } from './table.ts';
import { type OpenWatch, openWatch } from './watch.ts';

export interface ServerDeps {
  readonly store: Store;
  readonly resources: readonly ResourceType[];
  readonly access: AccessOptions;
  readonly faults: Faults;
  readonly hasSelfReview: boolean;
  readonly bookmarkInterval: number;
  readonly now: () => number;
  readonly report: (call: ApiCall) => void;
  /** Open watch streams. */
  readonly watches: Map<OpenWatch, ServerResponse>;
}

/** State of one request, filled in while it is processed. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  parsed: ParsedRequest | undefined;
  user: User | undefined;
  body: unknown;
  uid: string | undefined;
  receivedAt: number;
  receivedEpoch: number;
}

export function apiServer(deps: ServerDeps): RequestListener {
  return (request, response) => {
    const exchange: Exchange = {
      request,
      response,
      parsed: undefined,
      user: undefined,
      body: undefined,
      uid: undefined,
      receivedAt: performance.now(),
      receivedEpoch: Date.now(),
    };
    serve(deps, exchange).catch((error: unknown) => refuse(deps, exchange, error));
  };
}

async function serve(deps: ServerDeps, exchange: Exchange): Promise<void> {
  const { request } = exchange;
  const text = await readBody(request);
  exchange.receivedAt = performance.now();
  exchange.receivedEpoch = Date.now();
  exchange.user = authenticate(request.headers.authorization, deps.access);
  const review = reviewOf(deps, { request, user: exchange.user, text });
  if (review) return send(deps, exchange, { status: 201, text: JSON.stringify(review) });
  const parsed = parseRequest(request.method ?? 'GET', request.url ?? '/', deps.resources);
  exchange.parsed = parsed;
  if (parsed.kind === 'NonResource') return answerNonResource(deps, exchange, parsed.path);
  const contentType = mediaType(request.headers['content-type']);
  authorize(exchange.user, parsed, deps.access);
  const fault = deps.faults.take({ request: parsed, user: exchange.user });
  exchange.body = fault?.status
    ? safely(() => parseBody(text, contentType, parsed.verb))
    : parseBody(text, contentType, parsed.verb);
  if (fault?.latency) await new Promise((resolve) => setTimeout(resolve, fault.latency));
  if (fault?.until) await fault.until;
  if (fault?.drop === 'before') return drop(deps, exchange);
  if (fault?.status) throw refusal(fault.status, fault.retryAfterSeconds);
  if (parsed.verb === 'watch') return stream(deps, exchange, parsed);
  const handled = handle({
    store: deps.store,
    request: parsed,
    contentType,
    body: exchange.body,
    manager:
      parsed.query.get('fieldManager') || (request.headers['user-agent'] ?? 'unknown').split('/')[0] || 'unknown',
    now: deps.now(),
    asTable: wantsTable(request.headers.accept),
  });
  exchange.uid = handled.uid;
  if (fault?.drop === 'after') return drop(deps, exchange);
  send(deps, exchange, { status: handled.status, text: handled.json });
}

function safely(parse: () => unknown): unknown {
  try {
    return parse();
  } catch {
    return undefined;
  }
}

function answerNonResource(deps: ServerDeps, exchange: Exchange, path: string): void {
  const answer = discover(path, deps.resources);
  const text = 'text/plain';
  if (!answer) send(deps, exchange, { status: 404, text: '404 page not found\n', contentType: text });
  else if ('text' in answer) send(deps, exchange, { status: 200, text: answer.text, contentType: text });
  else send(deps, exchange, { status: 200, text: JSON.stringify(answer.json) });
}

function stream(deps: ServerDeps, exchange: Exchange, request: RequestInfo): void {
  const { response } = exchange;
  const open = () => {
    if (response.headersSent) return;
    response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-cache, private' });
    response.flushHeaders();
    report(deps, exchange, 200);
  };
  const sink = {
    write: (line: string) => {
      open();
      response.write(line);
    },
    end: () => response.end(),
  };
  const { store, bookmarkInterval, now } = deps;
  const asTable = wantsTable(exchange.request.headers.accept) ? now : undefined;
  const watch = openWatch({ store, request, sink, bookmarkInterval, ...(asTable && { asTable }) });
  open();
  if (response.writableEnded) return;
  deps.watches.set(watch, response);
  response.on('close', () => {
    watch.stop();
    deps.watches.delete(watch);
  });
}

function refuse(deps: ServerDeps, exchange: Exchange, error: unknown): void {
  if (exchange.response.headersSent || (exchange.request.destroyed && !exchange.request.complete))
    return void exchange.response.destroy();
  const known = error instanceof ApiStatus;
  const message = `Internal error occurred: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  const status = known ? error : new ApiStatus({ code: 500, reason: 'InternalError', message });
  send(deps, exchange, { status: status.code, text: JSON.stringify(status.body), headers: status.headers });
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function send(deps: ServerDeps, exchange: Exchange, answer: Answer): void {
  report(deps, exchange, answer.status);
  exchange.response.writeHead(answer.status, {
    'content-type': answer.contentType ?? 'application/json',
    'cache-control': 'no-cache, private',
    'content-length': Buffer.byteLength(answer.text),
    ...answer.headers,
  });
  exchange.response.end(answer.text);
}

function drop(deps: ServerDeps, exchange: Exchange): void {
  report(deps, exchange, 0);
  exchange.request.socket.destroy();
}

function report(deps: ServerDeps, exchange: Exchange, status: number): void {
  const { request, parsed, body } = exchange;
  const info = parsed?.kind === 'Resource' ? parsed : undefined;
  deps.report({
    resource: info?.resource.plural ?? request.url ?? '',
    subresource: info?.subresource,
    verb: info?.verb ?? 'nonresource',
    namespace: info?.namespace,
    name: info?.name || (textAt(body, 'metadata', 'name') ?? ''),
    method: request.method ?? '',
    path: request.url ?? '',
    user: exchange.user?.name ?? '',
    userAgent: request.headers['user-agent'] ?? '',
    uidPrecondition: info?.verb === 'delete' ? textAt(body, 'preconditions', 'uid') : textAt(body, 'metadata', 'uid'),
    uid: exchange.uid,
    status,
    receivedAt: exchange.receivedAt,
    receivedEpoch: exchange.receivedEpoch,
    answeredAt: performance.now(),
    answeredEpoch: Date.now(),
  });
}
