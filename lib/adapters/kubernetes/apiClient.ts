// A small client for one API server: keep-alive, timeouts, one renewal of the credentials on 401, JSON requests and responses. Written by
// hand because the official client alone has 1.9 MB, and functions load their code at each cold start.
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Milliseconds } from '../../model/time.ts';
import type { CredentialsSource } from './credentials.ts';
import { type ApiRequest, type ApiServerAddress, explain, openExchange } from './exchange.ts';
import { parseJson } from './parseJson.ts';

export type { ApiRequest, ApiServerAddress } from './exchange.ts';

/** A response with any status; `Failed` if there was none. */
export type ApiAnswer =
  | {
      readonly kind: 'Answer';
      readonly status: number;
      /** Empty if the body is not a JSON object, such as a proxy's error page. */
      readonly body: Readonly<Record<string, unknown>>;
      /** The start of a body that is not a JSON object. */
      readonly text?: string;
      readonly retryAfter?: Milliseconds;
      /** The API server's clock, from its Date header. */
      readonly date?: string;
    }
  | { readonly kind: 'Failed'; readonly why: string };

/** A response whose body is unread; the receiver must read or destroy it. */
export type ApiStream =
  | { readonly kind: 'Stream'; readonly response: IncomingMessage }
  | Extract<ApiAnswer, { kind: 'Answer' }>
  | { readonly kind: 'Failed'; readonly why: string };

export interface ApiClient {
  /** Never throws on errors of the server or the network. */
  send(request: ApiRequest): Promise<ApiAnswer>;
  /** A stream for status 200, an ordinary answer for any other status. */
  open(request: ApiRequest, signal: AbortSignal): Promise<ApiStream>;
  close(): void;
}

/** From the first byte sent to the last byte received, in ms; shorter than an evictor's lease. */
const requestTimeout = 5000;
/** All expected responses are far smaller; no more is read into memory. */
const maxBodyBytes = 64 * 1024 * 1024;

export interface ApiClientOptions {
  /** Replaces the default keep-alive agent, for a proxy. */
  readonly agent?: https.Agent;
}

export function createApiClient(
  address: ApiServerAddress,
  credentials: CredentialsSource,
  options: ApiClientOptions = {},
): ApiClient {
  const kept = { keepAlive: true, keepAliveMsecs: 10_000, maxSockets: 64, scheduling: 'lifo' } as const;
  const own = address.endpoint.startsWith('http:') ? new http.Agent(kept) : new https.Agent(kept);
  const agent = options.agent ?? own;
  const attempt = async (request: ApiRequest, how: { renew: boolean; signal?: AbortSignal }): Promise<ApiStream> => {
    const found = await credentials.get(how.renew);
    if (found.kind === 'Unavailable') {
      return { kind: 'Failed', why: `${request.method} ${request.subject}: not sent, ${found.why}` };
    }
    try {
      const timeout = request.timeout ?? requestTimeout;
      const exchange = { agent, address, request, credentials: found.credentials, timeout };
      const response = await openExchange(how.signal ? { ...exchange, signal: how.signal } : exchange);
      const isStream = how.signal !== undefined && response.statusCode === 200;
      return isStream ? { kind: 'Stream', response } : await readAnswer({ address, request }, response);
    } catch (error) {
      return { kind: 'Failed', why: error instanceof Error ? error.message : String(error) };
    }
  };
  const withRenewal = async (request: ApiRequest, signal?: AbortSignal): Promise<ApiStream> => {
    const answer = await attempt(request, { renew: false, ...(signal ? { signal } : {}) });
    const refused = answer.kind === 'Answer' && answer.status === 401;
    return refused ? attempt(request, { renew: true, ...(signal ? { signal } : {}) }) : answer;
  };
  return {
    async send(request) {
      const answer = await withRenewal(request);
      if (answer.kind !== 'Stream') return answer;
      throw new Error('a request without a signal cannot become a stream');
    },
    open: withRenewal,
    close: () => own.destroy(),
  };
}

type Asked = { readonly address: ApiServerAddress; readonly request: ApiRequest };

function readAnswer(asked: Asked, response: IncomingMessage): Promise<Extract<ApiAnswer, { kind: 'Answer' }>> {
  const timeout = asked.request.timeout ?? requestTimeout;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const timer = setTimeout(() => response.destroy(new Error(`body not complete within ${timeout} ms`)), timeout);
    response.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBodyBytes) response.destroy(new Error(`body larger than ${maxBodyBytes} bytes`));
      else chunks.push(chunk);
    });
    response.on('error', (error) => {
      clearTimeout(timer);
      reject(new Error(explain(asked, error), { cause: error }));
    });
    response.on('end', () => {
      clearTimeout(timer);
      resolve(answerOf(response, Buffer.concat(chunks).toString()));
    });
  });
}

function answerOf(response: IncomingMessage, text: string): Extract<ApiAnswer, { kind: 'Answer' }> {
  const seconds = Number(response.headers['retry-after'] ?? 'absent');
  const common = {
    kind: 'Answer',
    status: response.statusCode ?? 0,
    ...(Number.isFinite(seconds) && seconds >= 0 ? { retryAfter: seconds * 1000 } : {}),
    ...(response.headers.date ? { date: response.headers.date } : {}),
  } as const;
  try {
    const body = parseJson(text);
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) {
      return { ...common, body: body as Record<string, unknown> };
    }
  } catch {
    // Not from the API server: from a proxy or load balancer, or truncated.
  }
  return { ...common, body: {}, text: text.slice(0, 200) };
}
