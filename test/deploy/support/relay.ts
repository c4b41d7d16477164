// An HTTPS address in front of a real API server that functions of the emulator can reach, and that counts what they send.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { listen } from '../../../lib/local/cluster/listen.ts';
import type { SeenDelete } from './fleet.ts';

export interface Relay {
  readonly url: string;
  /** PEM. */
  readonly ca: string;
  readonly deletes: readonly SeenDelete[];
  /** Reads, lists and patches of this resource are answered with 503 until the returned function is called. */
  breakDown(resource: string): () => void;
  close(): Promise<void>;
}

/** Headers that impersonate the client of a request; `undefined` where its credentials are unknown. */
export type Authenticate = (
  authorization: string,
) => Promise<Readonly<Record<string, string | readonly string[]>> | undefined>;

export interface Relayed {
  readonly url: string;
  /** PEM. */
  readonly ca: string;
  /** Of an administrator, who may impersonate every user. */
  readonly token: string;
}

/** Credentials pass through unless `authenticate` is given; only DELETEs of pods are written down. */
export async function startRelay(target: Relayed, authenticate?: Authenticate): Promise<Relay> {
  const agent = new Agent({ ca: target.ca, keepAlive: true });
  const deletes: SeenDelete[] = [];
  const broken = new Set<string>();
  const handler: RequestListener = async (request, response) => {
    const { method = 'GET', url = '/' } = request;
    if (isBroken(broken, method, new URL(url, target.url))) {
      response.writeHead(503, { 'content-type': 'application/json' }).end('{"kind":"Status","code":503}');
      return;
    }
    const body = await bodyOf(request);
    const instead = authenticate ? await headersOf(authenticate, request, target) : {};
    if (!instead) {
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"kind":"Status","code":401}');
      return;
    }
    const answer = await forward(new URL(url, target.url), { request, instead, body, agent }).catch(() => undefined);
    if (!answer) {
      response.destroy();
      return;
    }
    if (method === 'DELETE' && /\/pods\/[^/]+$/.test(url))
      deletes.push({
        uid: uidIn(body),
        status: answer.statusCode ?? 0,
        userAgent: request.headers['user-agent'] ?? '',
        at: Date.now(),
      });
    pass(answer, response);
  };
  const { server, url, ca } = await listen(handler, '127.0.0.2', 0);
  return {
    url,
    ca,
    deletes,
    breakDown(resource) {
      broken.add(resource);
      return () => broken.delete(resource);
    },
    async close() {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Watches continue. */
function isBroken(broken: ReadonlySet<string>, method: string, { pathname, searchParams }: URL): boolean {
  const isAsked = method === 'PATCH' || (method === 'GET' && !searchParams.has('watch'));
  return isAsked && pathname.split('/').some((part) => broken.has(part));
}

async function headersOf(authenticate: Authenticate, { headers }: IncomingMessage, { token }: Relayed) {
  const known = await authenticate(headers.authorization ?? '');
  return known && { authorization: `Bearer ${token}`, ...known };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function forward(
  url: URL,
  of: {
    readonly request: IncomingMessage;
    /** Of headers. */
    readonly instead: Readonly<Record<string, string | readonly string[]>>;
    readonly body: Buffer;
    readonly agent: Agent;
  },
): Promise<IncomingMessage> {
  const { host: _, ...own } = of.request.headers;
  const headers = { ...own, ...(of.instead as Record<string, string | string[]>) };
  return new Promise((resolve, reject) => {
    const sent = httpsRequest(url, { method: of.request.method, headers, agent: of.agent });
    sent.once('response', resolve);
    sent.once('error', reject);
    sent.end(of.body);
  });
}

function pass(answer: IncomingMessage, response: ServerResponse): void {
  response.writeHead(answer.statusCode ?? 502, answer.headers);
  answer.pipe(response);
  response.once('close', () => answer.destroy());
}

function uidIn(body: Buffer): string {
  try {
    const { preconditions } = JSON.parse(body.toString()) as { preconditions?: { uid?: string } };
    return preconditions?.uid ?? '';
  } catch {
    return '';
  }
}
