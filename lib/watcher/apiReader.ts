// Lists and watches of one API server for the watcher: kubeconfig and credentials by client-node, the stream read here.
import https from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';

/**
 * client-node's own Watch ends after 30 s and drops lines that it cannot parse without a word; its KubeConfig (exec plugins,
 * client certificates, in-cluster tokens that rotate) is what is worth having.
 */
export interface ApiReader {
  readonly endpoint: string;
  get(path: string): Promise<ReadAnswer>;
  /** Calls back for each line until the stream ends; the answer says how it ended. */
  stream(
    path: string,
    options: { readonly signal: AbortSignal; readonly onLine: (line: string) => void; readonly onOpen: () => void },
  ): Promise<StreamEnd>;
}

export interface ReadAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** The API server's clock, epoch ms, from its Date header. */
  readonly date?: number;
}

export type StreamEnd =
  | { readonly kind: 'Ended' }
  | { readonly kind: 'Status'; readonly status: number; readonly text: string }
  | { readonly kind: 'Failed'; readonly why: string };

/** A list page or discovery document. */
const requestTimeout = 30_000;

/** A watch without a byte for this long is dead: bookmarks come every minute. */
const silenceTimeout = 150_000;

export function createApiReader(config: KubeConfig): ApiReader {
  const endpoint = config.getCurrentCluster()?.server ?? '';
  const agent = new https.Agent({ keepAlive: true });
  const open = async (path: string, timeout: number): Promise<import('node:http').ClientRequest> => {
    const options: https.RequestOptions = { headers: { accept: 'application/json', 'user-agent': 'sluice-watcher' } };
    await config.applyToHTTPSOptions(options);
    // The agent that client-node brings along holds the TLS settings already; without one they are in the options.
    return https.request(new URL(path, endpoint), { ...options, agent: options.agent ?? agent, timeout });
  };
  return {
    endpoint,
    async get(path) {
      const request = await open(path, requestTimeout);
      return new Promise((resolve, reject) => {
        request.on('timeout', () => request.destroy(new Error(`no answer within ${requestTimeout} ms`)));
        request.on('error', reject);
        request.on('response', (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => resolve(readAnswer(response, Buffer.concat(chunks).toString())));
        });
        request.end();
      });
    },
    async stream(path, { signal, onLine, onOpen }) {
      if (signal.aborted) return { kind: 'Ended' };
      const request = await open(path, silenceTimeout);
      return new Promise((resolve) => {
        const abort = () => request.destroy();
        signal.addEventListener('abort', abort, { once: true });
        const end = (how: StreamEnd) => {
          signal.removeEventListener('abort', abort);
          resolve(how);
        };
        request.on('timeout', () => request.destroy(new Error(`nothing heard for ${silenceTimeout} ms`)));
        request.on('error', (error) => end({ kind: 'Failed', why: error.message }));
        request.on('response', (response) => {
          response.setEncoding('utf8');
          const lines = lineSplitter(onLine);
          let refused = '';
          const ok = response.statusCode === 200;
          if (ok) onOpen();
          response.on('data', (text: string) => {
            if (ok) lines(text);
            else refused += text;
          });
          response.on('error', (error) => end({ kind: 'Failed', why: error.message }));
          response.on('close', () =>
            end(
              ok
                ? { kind: 'Ended' }
                : { kind: 'Status', status: response.statusCode ?? 0, text: refused.slice(0, 500) },
            ),
          );
        });
        request.end();
      });
    },
  };
}

function readAnswer(response: import('node:http').IncomingMessage, text: string): ReadAnswer {
  const at = Date.parse(response.headers.date ?? '');
  const date = Number.isNaN(at) ? {} : { date: at };
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null)
      return { status: response.statusCode ?? 0, body: body as Record<string, unknown>, ...date };
  } catch {
    // Not the API server's own answer.
  }
  return { status: response.statusCode ?? 0, body: { message: text.slice(0, 500) }, ...date };
}

/** Chunks of a stream end anywhere; lines do not. */
export function lineSplitter(onLine: (line: string) => void): (text: string) => void {
  let rest = '';
  return (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') onLine(line);
  };
}
