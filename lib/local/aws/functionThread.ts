// Thread of an execution environment: imports bundles, runs handlers, reports their output and results.
import { AsyncLocalStorage } from 'node:async_hooks';
import { existsSync } from 'node:fs';
import { enableCompileCache, flushCompileCache } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import type { Failure, InvocationResult } from './functionCode.ts';

export interface ThreadFunction {
  readonly name: string;
  readonly folder: string;
  readonly handler: string;
  readonly arn: string;
  readonly variables: Readonly<Record<string, string>>;
}

export interface ThreadData {
  readonly functions: readonly ThreadFunction[];
  /** Folder of Node's compile cache. */
  readonly compileCache: string;
}

/** Without an event, the bundle is loaded but the handler not run. */
export interface ThreadRequest {
  readonly id: string;
  readonly name: string;
  readonly event?: unknown;
  readonly deadline: number;
}

export type ThreadAnswer =
  | { readonly kind: 'Printed'; readonly name: string; readonly text: string }
  | { readonly kind: 'Answered'; readonly id: string; readonly result: InvocationResult };

type Handler = (event: unknown, context: object) => unknown;

const { functions, compileCache } = workerData as ThreadData;
const own = new Map(functions.map((one) => [one.name, { ...one, variables: { ...one.variables } }]));
/** The running function across awaits, so that variables and output of concurrent functions stay separate. */
const current = new AsyncLocalStorage<ThreadFunction>();
const handlers = new Map<string, Promise<Handler>>();
const answer = (message: ThreadAnswer) => parentPort?.postMessage(message);

const outside = {};
Object.defineProperty(process, 'env', { get: () => current.getStore()?.variables ?? outside });
for (const stream of [process.stdout, process.stderr]) stream.write = print;
enableCompileCache(compileCache);
parentPort?.on('message', (request: ThreadRequest) => {
  const code = own.get(request.name);
  if (code) void current.run(code, () => serve(code, request));
});

function print(chunk: string | Uint8Array): boolean {
  const name = current.getStore()?.name ?? functions[0]?.name ?? '';
  answer({ kind: 'Printed', name, text: typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString() });
  return true;
}

async function serve(code: ThreadFunction, { id, event, deadline }: ThreadRequest): Promise<void> {
  try {
    const loading = handlers.get(code.name) ?? load(code);
    handlers.set(code.name, loading);
    const handler = await loading;
    const value = event === undefined ? null : await handler(event, contextOf(code, id, deadline));
    answer({ kind: 'Answered', id, result: { kind: 'Returned', value: asJson(value) } });
  } catch (error) {
    answer({ kind: 'Answered', id, result: failureOf(error) });
  }
}

async function load({ folder, handler }: ThreadFunction): Promise<Handler> {
  const [file = '', name = ''] = handler.split('.');
  const base = path.join(folder, file);
  const found = ['.mjs', '.js', '.cjs'].map((extension) => base + extension).find((one) => existsSync(one));
  if (!found)
    throw Object.assign(new Error(`there is no ${base}.mjs, .js or .cjs`), { name: 'Runtime.ImportModuleError' });
  const loaded = (await import(pathToFileURL(found).href))[name];
  // Halves the start time of later threads, in this run and others.
  flushCompileCache();
  if (typeof loaded === 'function') return loaded;
  throw Object.assign(new Error(`${handler} is not a function`), { name: 'Runtime.HandlerNotFound' });
}

function contextOf({ name, arn, variables }: ThreadFunction, awsRequestId: string, deadline: number): object {
  return {
    awsRequestId,
    invokedFunctionArn: arn,
    functionName: name,
    functionVersion: variables.AWS_LAMBDA_FUNCTION_VERSION,
    memoryLimitInMB: variables.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
    logGroupName: variables.AWS_LAMBDA_LOG_GROUP_NAME,
    logStreamName: variables.AWS_LAMBDA_LOG_STREAM_NAME,
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => deadline - Date.now(),
  };
}

/** Lambda returns JSON; throws if the value cannot be serialized. */
function asJson(value: unknown): unknown {
  return value === undefined ? null : JSON.parse(JSON.stringify(value));
}

function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return { kind: 'Failed', type: 'Error', message: String(error) };
  return { kind: 'Failed', type: error.name, message: error.message, trace: String(error.stack).split('\n') };
}
