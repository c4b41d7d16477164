// An HTTPS server on loopback that gives the answers of a test in order and records the requests.
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { selfSignedCertificate } from '../../../lib/local/cluster/certificate.ts';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
}

export type Answer =
  | { readonly status: number; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }
  /** Nothing is answered, or the connection is closed. */
  | 'silence'
  | 'reset';

export interface AnsweringServer {
  readonly endpoint: string;
  readonly ca: string;
  readonly asked: Asked[];
  /** Answered in order; the last one repeats. */
  answer(...answers: Answer[]): void;
  close(): Promise<void>;
}

export async function startAnsweringServer(): Promise<AnsweringServer> {
  const day = 86_400_000;
  const { certificate, privateKey } = selfSignedCertificate({
    commonName: 'answering-server',
    hosts: ['127.0.0.1'],
    notBefore: new Date(Date.now() - day),
    notAfter: new Date(Date.now() + day),
  });
  let answers: Answer[] = [];
  const asked: Asked[] = [];
  const server = createServer({ cert: certificate, key: privateKey }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const body: unknown = text === '' ? undefined : JSON.parse(text);
      asked.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, body });
      give(response, (answers.length > 1 ? answers.shift() : answers[0]) ?? 'silence');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `https://127.0.0.1:${port}`,
    ca: certificate,
    asked,
    answer(...next) {
      answers = next;
      asked.length = 0;
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function give(response: ServerResponse, answer: Answer): void {
  if (answer === 'silence') return;
  if (answer === 'reset') return void response.socket?.destroy();
  const payload = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
  response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers }).end(payload);
}

/** Discovery of a group and version (`v1`, `resource.k8s.io/v1`): serves these resources, given by their plural names. */
export function resourceList(groupVersion: string, ...names: readonly string[]): Answer {
  const resources = names.map((name) => ({ name }));
  return { status: 200, body: { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources } };
}

/** metav1.Status as the API server writes it. */
export function status(code: number, reason: string, message: string, details: object = {}): Answer {
  return {
    status: code,
    body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message, details },
  };
}
