// Handle of one thread with functions: requests, responses and termination.
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import {
  type Failure,
  type FunctionCode,
  failed,
  functionArnOf,
  type InvocationResult,
  variablesOf,
} from './functionCode.ts';
import type { ThreadAnswer, ThreadData, ThreadRequest } from './functionThread.ts';

/** Requests resolve with `late` after `milliseconds`; the work itself may continue. */
export interface Thread {
  /** Imports the bundle, once. */
  load(name: string, milliseconds: number, late: Failure): Promise<InvocationResult>;
  run(name: string, event: unknown, milliseconds: number, late: Failure): Promise<InvocationResult>;
  /** Takes no new requests, and ends after the running ones. */
  endWhenIdle(): void;
  /** Terminates at once. */
  end(): Promise<void>;
}

/** The source file in a checkout, or the bundle beside the program. */
const program = new URL(
  import.meta.url.endsWith('.ts') ? './functionThread.ts' : './functionThread.mjs',
  import.meta.url,
);
/** MiB; with the default, short-lived garbage takes three times as much memory. */
const youngGeneration = 16;

/** `onEnd` is called once, after every request has been answered. */
export function startThread(functions: readonly FunctionCode[], onEnd: () => void): Thread {
  const worker = new Worker(program, {
    name: functions
      .map(({ name }) => name)
      .join(' ')
      .slice(0, 15),
    env: {},
    workerData: dataOf(functions),
    execArgv: ['--disable-warning=ExperimentalWarning'],
    resourceLimits: {
      maxOldGenerationSizeMb: Math.max(...functions.map(({ memoryMiB }) => memoryMiB)),
      maxYoungGenerationSizeMb: youngGeneration,
    },
  });
  const asked = new Map<string, (result: InvocationResult) => void>();
  const loads = new Map<string, Promise<InvocationResult>>();
  const print = linePrinter(functions);
  let endsWhenIdle = false;
  let ended: Failure | undefined;

  const settle = (id: string, result: InvocationResult) => {
    asked.get(id)?.(result);
    asked.delete(id);
    if (endsWhenIdle) endIfIdle();
  };
  // Later, because an invocation asks to run only once it knows that its bundle was loaded.
  const endIfIdle = () =>
    setImmediate(() => {
      if (asked.size === 0) void worker.terminate();
    });
  worker.on('message', (answer: ThreadAnswer) => {
    if (answer.kind === 'Printed') print(answer.name, answer.text);
    else settle(answer.id, answer.result);
  });
  worker.on('error', (error) => {
    const trace = error instanceof Error ? error.stack : String(error);
    ended = { ...failed('Runtime.ExitError', `the thread ended with an error: ${error}`), trace: [String(trace)] };
  });
  const gone = new Promise<void>((resolve) => {
    worker.once('exit', (status) => {
      ended ??= failed('Runtime.ExitError', `the thread ended with exit status ${status}`);
      for (const id of [...asked.keys()]) settle(id, ended);
      onEnd();
      resolve();
    });
  });
  const ask = (request: Omit<ThreadRequest, 'id' | 'deadline'>, milliseconds: number, late: Failure) => {
    if (ended) return Promise.resolve<InvocationResult>(ended);
    const id = randomUUID();
    return new Promise<InvocationResult>((resolve) => {
      const timer = setTimeout(() => settle(id, late), milliseconds);
      asked.set(id, (result) => {
        clearTimeout(timer);
        resolve(result);
      });
      worker.postMessage({ ...request, id, deadline: Date.now() + milliseconds } satisfies ThreadRequest);
    });
  };
  return {
    load(name, milliseconds, late) {
      const loading = loads.get(name) ?? ask({ name }, milliseconds, late);
      loads.set(name, loading);
      return loading;
    },
    run: (name, event, milliseconds, late) => ask({ name, event: event ?? null }, milliseconds, late),
    endWhenIdle() {
      endsWhenIdle = true;
      endIfIdle();
    },
    async end() {
      await worker.terminate();
      await gone;
    },
  };
}

function dataOf(functions: readonly FunctionCode[]): ThreadData {
  return {
    functions: functions.map((code) => ({
      name: code.name,
      folder: code.folder,
      handler: code.handler,
      arn: functionArnOf(code),
      variables: variablesOf(code),
    })),
    compileCache: path.join(path.dirname(functions[0]?.folder ?? ''), 'compiled'),
  };
}

/** Buffers output and passes on complete lines only. */
function linePrinter(functions: readonly FunctionCode[]): (name: string, text: string) => void {
  const started = new Map<string, string>();
  return (name, text) => {
    const lines = `${started.get(name) ?? ''}${text}`.split('\n');
    started.set(name, lines.pop() ?? '');
    const onLog = functions.find((code) => code.name === name)?.onLog;
    for (const line of lines) onLog?.(line);
  };
}
