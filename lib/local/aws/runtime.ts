// What runs a function's bundle: a child process of its own, or a thread of this process. Both run the same bootstrap.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { arnOf, localRegion } from './account.ts';

export interface FunctionCode {
  readonly name: string;
  /** Holds the bundle. */
  readonly folder: string;
  /** `index.handler`. */
  readonly handler: string;
  readonly timeoutSeconds: number;
  readonly memoryMiB: number;
  readonly environment: Readonly<Record<string, string>>;
  /** Takes each line that the function prints. */
  readonly onLog: (line: string) => void;
}

export interface Runtime {
  /** Of the child process, where there is one. */
  readonly pid: number | undefined;
  /** At once, whatever it is doing; resolves when it is gone. */
  kill(): Promise<void>;
}

/** `api`: address of the Runtime API. `onEnd` is called once, killed or not, with how it ended. */
export type StartRuntime = (code: FunctionCode, api: string, onEnd: (how: string) => void) => Runtime;

const bootstrap = fileURLToPath(new URL('./bootstrap.mjs', import.meta.url));

/** As on AWS: crashes, exits and memory stay apart. It ends with this process, because its standard input does. */
export const startProcess: StartRuntime = (code, api, onEnd) => {
  const heap = `--max-old-space-size=${Math.floor(code.memoryMiB * 0.9)}`;
  const child = spawn(process.execPath, [heap, bootstrap], {
    cwd: code.folder,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, ...variablesOf(code, api) },
  });
  forwardLines(code, child.stdout, child.stderr);
  child.stdin.on('error', () => {});
  const gone = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      onEnd(`could not start: ${error.message}`);
      resolve();
    });
    child.once('exit', (status, signal) => {
      onEnd(signal === null ? `exit status ${status}` : `signal ${signal}`);
      resolve();
    });
  });
  return {
    pid: child.pid,
    async kill() {
      child.kill('SIGKILL');
      await gone;
    },
  };
};

/** For debuggers and small machines: one process, yet every environment has variables and modules of its own. */
export const startThread: StartRuntime = (code, api, onEnd) => {
  const worker = new Worker(bootstrap, {
    name: code.name,
    env: { ...variablesOf(code, api) },
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: code.memoryMiB },
  });
  forwardLines(code, worker.stdout, worker.stderr);
  worker.on('error', (error) => code.onLog(error instanceof Error ? (error.stack ?? error.message) : String(error)));
  const gone = new Promise<void>((resolve) =>
    worker.once('exit', (status) => {
      onEnd(`exit status ${status}`);
      resolve();
    }),
  );
  return {
    pid: undefined,
    async kill() {
      await worker.terminate();
      await gone;
    },
  };
};

function forwardLines(code: FunctionCode, ...streams: readonly Readable[]): void {
  for (const input of streams) createInterface({ input }).on('line', code.onLog);
}

/** The reserved variables of AWS Lambda, and nothing of this process's own. */
function variablesOf(code: FunctionCode, api: string): Record<string, string> {
  return {
    ...code.environment,
    AWS_DEFAULT_REGION: localRegion,
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(code.memoryMiB),
    AWS_LAMBDA_FUNCTION_NAME: code.name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${code.name}`,
    AWS_LAMBDA_LOG_STREAM_NAME: 'local',
    AWS_LAMBDA_RUNTIME_API: api,
    LAMBDA_TASK_ROOT: code.folder,
    TZ: 'UTC',
    _HANDLER: code.handler,
  };
}

export function functionArnOf(code: FunctionCode): string {
  return arnOf('lambda', `function:${code.name}`);
}
