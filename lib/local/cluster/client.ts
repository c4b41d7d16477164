// Small Kubernetes API client for fakes and tests: calls and watches.
import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { createInterface } from 'node:readline';
import { isMap, type JsonMap, textAt } from './object.ts';

export interface ApiAnswer {
  readonly status: number;
  readonly body: JsonMap;
  readonly headers: IncomingMessage['headers'];
}

export interface CallOptions {
  readonly body?: unknown;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface WatchEvent {
  readonly type: string;
  readonly object: JsonMap;
}

export interface ApiClient {
  /** Returns any response; throws only if the connection fails. */
  call(method: string, path: string, options?: CallOptions): Promise<ApiAnswer>;
  /** Yields events until the server ends the stream or the signal aborts; throws if the status is not 200. */
  watch(path: string, signal?: AbortSignal): AsyncGenerator<WatchEvent, void, undefined>;
  close(): void;
}

export interface ClientOptions {
  readonly url: string;
  /** PEM. */
  readonly ca: string;
  readonly token?: string;
  readonly userAgent?: string;
  readonly maxSockets?: number;
}

export function createApiClient(options: ClientOptions): ApiClient {
  const agent = new Agent({ ca: options.ca, keepAlive: true, maxSockets: options.maxSockets ?? 32 });
  const send = (method: string, path: string, call: CallOptions) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const payload = call.body === undefined || typeof call.body === 'string' ? call.body : JSON.stringify(call.body);
      const outgoing = httpsRequest(new URL(path, options.url), {
        method,
        agent,
        ...(call.signal && { signal: call.signal }),
        headers: {
          accept: 'application/json',
          'user-agent': options.userAgent ?? 'sluice-local',
          ...(options.token !== undefined && { authorization: `Bearer ${options.token}` }),
          // Without Content-Length, Node would send the body of a DELETE after the end of the request.
          ...(payload !== undefined && {
            'content-type': call.contentType ?? 'application/json',
            'content-length': Buffer.byteLength(payload),
          }),
          ...call.headers,
        },
      });
      outgoing.on('response', resolve);
      outgoing.on('error', reject);
      outgoing.end(payload);
    });

  return {
    async call(method, path, call = {}) {
      const response = await send(method, path, call);
      const text = await textOf(response);
      return { status: response.statusCode ?? 0, body: parseMap(text), headers: response.headers };
    },
    async *watch(path, signal) {
      const response = await send('GET', path, signal ? { signal } : {});
      if (response.statusCode !== 200) {
        const body = parseMap(await textOf(response));
        throw new Error(`watch ${path}: ${response.statusCode} ${textAt(body, 'message') ?? ''}`);
      }
      try {
        for await (const line of createInterface({ input: response })) {
          const event = parseMap(line);
          const object = event.object;
          if (isMap(object)) yield { type: String(event.type), object };
        }
      } finally {
        response.destroy();
      }
    },
    close: () => agent.destroy(),
  };
}

async function textOf(response: IncomingMessage): Promise<string> {
  response.setEncoding('utf8');
  let text = '';
  for await (const chunk of response) text += chunk;
  return text;
}

/** A body that is not a JSON object becomes `{text}`. */
function parseMap(text: string): JsonMap {
  try {
    const value: unknown = JSON.parse(text);
    return isMap(value) ? value : { text };
  } catch {
    return { text };
  }
}
