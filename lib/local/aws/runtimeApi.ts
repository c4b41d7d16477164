// The Lambda Runtime API of one execution environment: hands out the next event, takes answers and errors.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** `type` as AWS Lambda names it: the handler's own error, or `Runtime.*` and `Sandbox.*` where the handler had no say. */
export interface Failure {
  readonly kind: 'Failed';
  readonly type: string;
  readonly message: string;
  readonly trace?: readonly string[];
}
export type InvocationResult = { readonly kind: 'Returned'; readonly value: unknown } | Failure;

export interface RuntimeApi {
  /** `host:port`, for AWS_LAMBDA_RUNTIME_API. */
  readonly address: string;
  close(): Promise<void>;
}

/** What the runtime tells. */
export interface RuntimeListener {
  /** It waits for an event; `response` stays open until there is one. */
  waits(response: ServerResponse): void;
  /** False where no such invocation runs: it came too late, or never was. */
  answers(id: string, result: InvocationResult): boolean;
  failsToStart(failure: Failure): void;
}

const base = '/2018-06-01/runtime';
const invocation = new RegExp(`^${base}/invocation/([^/]+)/(response|error)$`);

export async function serveRuntimeApi(listener: RuntimeListener): Promise<RuntimeApi> {
  const server = createServer((request, response) => {
    route(listener, request, response).catch(() => response.destroy());
  });
  // A runtime is silent while its handler works; closing its connection then would lose the answer.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve, reject) => server.on('error', reject).listen(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function route(listener: RuntimeListener, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, url = '' } = request;
  if (method === 'GET' && url === `${base}/invocation/next`) return listener.waits(response);
  const body = await readBody(request);
  if (method === 'POST' && url === `${base}/init/error`) {
    listener.failsToStart(failureOf(body));
    return answer(response, 202, { status: 'OK' });
  }
  const [, id, what] = (method === 'POST' && invocation.exec(url)) || [];
  if (id === undefined) return answer(response, 404, { errorType: 'NotFound', errorMessage: `${method} ${url}` });
  const result = what === 'response' ? resultOf(body) : failureOf(body);
  if (listener.answers(id, result)) return answer(response, 202, { status: 'OK' });
  return answer(response, 400, { errorType: 'InvalidRequestID', errorMessage: `no invocation ${id} is running` });
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function resultOf(body: string): InvocationResult {
  try {
    return { kind: 'Returned', value: body === '' ? null : JSON.parse(body) };
  } catch {
    return { kind: 'Failed', type: 'Runtime.InvalidResponse', message: 'the answer is not JSON' };
  }
}

function failureOf(body: string): Failure {
  try {
    const { errorType, errorMessage, stackTrace } = JSON.parse(body) as Record<string, unknown>;
    const trace = Array.isArray(stackTrace) ? { trace: stackTrace.map(String) } : {};
    return { kind: 'Failed', type: String(errorType), message: String(errorMessage), ...trace };
  } catch {
    return { kind: 'Failed', type: 'Runtime.Unknown', message: body };
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
