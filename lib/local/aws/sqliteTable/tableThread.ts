// Thread that serves DynamoDB's JSON protocol on loopback from in-memory SQLite tables.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parentPort } from 'node:worker_threads';
import { ServiceError, ValidationError } from './attribute.ts';
import { operations } from './operations.ts';
import { Store } from './store.ts';

const store = new Store();
const server = createServer((request, response) => void serve(request, response));
server.keepAliveTimeout = 0;
server.listen(0, '127.0.0.1', () => parentPort?.postMessage((server.address() as AddressInfo).port));

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const target = String(request.headers['x-amz-target'] ?? '');
    const operation = operations[target.split('.').at(-1) ?? ''];
    if (!operation)
      throw new ServiceError('UnknownOperationException', `the embedded table has no operation ${target}`);
    answer(response, 200, operation(store, JSON.parse(await bodyOf(request))));
  } catch (error) {
    if (!(error instanceof ServiceError)) return answer(response, 500, bodyOfError(internal(error)));
    answer(response, 400, bodyOfError(error));
  }
}

function internal(error: unknown): ServiceError {
  if (error instanceof SyntaxError) return new ValidationError(error.message);
  return new ServiceError(
    'InternalServerError',
    error instanceof Error ? (error.stack ?? error.message) : String(error),
  );
}

function bodyOfError({ type, message, more }: ServiceError): object {
  return { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message, Message: message, ...more };
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
