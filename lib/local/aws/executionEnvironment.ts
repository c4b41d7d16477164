// One execution environment of a function: a child process behind its own Lambda Runtime API, made anew after crash or time-out.
import { type ChildProcess, spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface FunctionCode {
  readonly name: string;
  readonly folder: string;
  /** `index.handler`. */
  readonly handler: string;
  readonly timeoutSeconds: number;
  readonly memoryMiB: number;
  readonly environment: Readonly<Record<string, string>>;
  /** Takes each line that the function prints. */
  readonly onLog: (line: string) => void;
}

export type InvocationResult =
  | { readonly kind: 'Returned'; readonly value: unknown }
  | { readonly kind: 'Failed'; readonly error: string };

export interface ExecutionEnvironment {
  /** One at a time, as on AWS. */
  invoke(event: unknown): Promise<InvocationResult>;
  readonly pid: () => number | undefined;
  stop(): Promise<void>;
}

const bootstrap = fileURLToPath(new URL('./bootstrap.mjs', import.meta.url));

interface Invocation {
  readonly id: string;
  readonly event: unknown;
  readonly done: (result: InvocationResult) => void;
  timer?: NodeJS.Timeout;
  sent?: boolean;
}

export async function startExecutionEnvironment(code: FunctionCode): Promise<ExecutionEnvironment> {
  let waiting: ServerResponse | undefined;
  let current: Invocation | undefined;
  let child: ChildProcess | undefined;
  let stopped = false;
  let invocations = 0;

  const finish = (result: InvocationResult) => {
    const finished = current;
    current = undefined;
    if (finished?.timer) clearTimeout(finished.timer);
    finished?.done(result);
  };
  const hand = () => {
    if (!waiting || !current || current.sent) return;
    current.sent = true;
    const response = waiting;
    waiting = undefined;
    response.writeHead(200, invocationHeaders(code, current.id)).end(JSON.stringify(current.event));
  };
  const server = createServer(async (request, response) => {
    if (request.url?.endsWith('/invocation/next')) {
      waiting = response;
      hand();
      return;
    }
    const body = await readBody(request);
    response.writeHead(202, { 'content-type': 'application/json' }).end('{}');
    const answered = /\/invocation\/([^/]+)\/(response|error)$/.exec(request.url ?? '');
    if (answered && answered[1] !== current?.id) return;
    if (answered?.[2] === 'response') finish({ kind: 'Returned', value: JSON.parse(body || 'null') });
    else finish({ kind: 'Failed', error: body });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const api = `127.0.0.1:${(server.address() as AddressInfo).port}`;

  const boot = () => {
    const started = spawnRuntime(code, api);
    child = started;
    started.on('exit', (status, signal) => {
      if (child !== started) return;
      waiting = undefined;
      finish({ kind: 'Failed', error: `Runtime.ExitError: the process ended with ${status ?? signal}` });
      if (!stopped) boot();
    });
  };
  const expire = () => {
    const hanging = child;
    child = undefined;
    waiting = undefined;
    hanging?.kill('SIGKILL');
    finish({ kind: 'Failed', error: `Sandbox.Timedout: ${code.name} ran for ${code.timeoutSeconds} s` });
    if (!stopped) boot();
  };
  boot();
  return {
    pid: () => child?.pid,
    invoke(event) {
      if (current) throw new Error(`${code.name}: an execution environment runs one invocation at a time`);
      return new Promise((done) => {
        current = {
          id: `${code.name}-${++invocations}`,
          event,
          done,
          timer: setTimeout(expire, code.timeoutSeconds * 1000),
        };
        hand();
      });
    },
    async stop() {
      stopped = true;
      const ending = child;
      child = undefined;
      finish({ kind: 'Failed', error: 'the environment was stopped' });
      if (ending && ending.exitCode === null && ending.signalCode === null) {
        const gone = new Promise((resolve) => ending.once('exit', resolve));
        ending.kill('SIGKILL');
        await gone;
      }
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function spawnRuntime(code: FunctionCode, api: string): ChildProcess {
  const child = spawn(process.execPath, [bootstrap], {
    cwd: code.folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      // Compiled code is kept beside the bundle, so that the next environment of the function starts in half the time.
      NODE_COMPILE_CACHE: `${code.folder}.compiled`,
      ...code.environment,
      AWS_LAMBDA_RUNTIME_API: api,
      LAMBDA_TASK_ROOT: code.folder,
      _HANDLER: code.handler,
      AWS_LAMBDA_FUNCTION_NAME: code.name,
      AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(code.memoryMiB),
      AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${code.name}`,
      AWS_LAMBDA_LOG_STREAM_NAME: 'local',
    },
  });
  for (const stream of [child.stdout, child.stderr])
    if (stream) createInterface({ input: stream }).on('line', code.onLog);
  return child;
}

function invocationHeaders(code: FunctionCode, id: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    'lambda-runtime-aws-request-id': id,
    'lambda-runtime-deadline-ms': String(Date.now() + code.timeoutSeconds * 1000),
    'lambda-runtime-invoked-function-arn': `arn:aws:lambda:us-east-1:000000000000:function:${code.name}`,
    'lambda-runtime-trace-id': 'Root=1-00000000-000000000000000000000000;Sampled=0',
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
