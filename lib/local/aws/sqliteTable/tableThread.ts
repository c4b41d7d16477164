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

/** With its length the response is one write to the socket, without chunks. */
function answer(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response.sendDate = false;
  response.writeHead(status, {
    'content-type': 'application/x-amz-json-1.0',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

function bodyOf(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      text += chunk;
    });
    request.once('end', () => resolve(text));
    request.once('error', reject);
  });
}
