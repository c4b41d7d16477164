// Runs a function in processes with the heap size of AWS Lambda, one invocation per process at a time.
import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { buildSync } from 'esbuild';
import { esbuildOptions } from '../../infra/bundling.ts';
import { type FunctionCode, failed, type InvocationResult, variablesOf } from '../../lib/local/aws/functionCode.ts';
import type { FunctionPool } from '../../lib/local/aws/functionPool.ts';
import type { Answer, Invocation } from './functionProcess.ts';
import type { MemoryReport } from './memoryProbe.ts';

export interface Measured {
  /** Bytes of `heapUsed + external`, maximum over its processes. */
  peak: number;
  kept: number;
  invocations: number;
  failures: number;
  /** Processes that crashed, mostly out of memory. */
  crashes: number;
  timeouts: number;
}

export interface FunctionProcesses extends FunctionPool {
  readonly measured: Measured;
  end(): Promise<void>;
}

/** Old space and semi-space as share of the function's memory, as in Lambda's Node.js runtime. */
const [oldShare, semiSpaceShare] = [0.9, 0.05];

/** Factor for timeouts: one machine for all functions, table and queues is slower than separate Lambda environments. */
const slower = 4;

/** Bundles the programs of the processes; from source, their memory would include the TypeScript compiler. */
export function bundleProcess(folder: string): void {
  for (const name of ['functionProcess', 'memoryProbe'])
    buildSync({
      ...esbuildOptions(path.join(import.meta.dirname, `${name}.ts`)),
      outfile: path.join(folder, `${name}.mjs`),
    });
}

interface Place {
  child: ChildProcess | undefined;
  ready: Promise<void>;
  isBusy: boolean;
}

export function startFunctionProcesses(
  code: FunctionCode,
  options: { readonly folder: string; readonly processes: number; readonly clockAhead?: number },
): FunctionProcesses {
  const measured: Measured = { peak: 0, kept: 0, invocations: 0, failures: 0, crashes: 0, timeouts: 0 };
  const places: Place[] = Array.from({ length: options.processes }, () => ({
    child: undefined,
    ready: Promise.resolve(),
    isBusy: false,
  }));
  let waiting: (() => void)[] = [];
  let isStopped = false;
  const note = ({ peak, kept }: MemoryReport) => {
    measured.peak = Math.max(measured.peak, peak);
    measured.kept = Math.max(measured.kept, kept);
  };
  const start = (place: Place): ChildProcess => {
    const child = spawnFunction(code, options);
    place.child = child;
    place.ready = new Promise((resolve) => {
      child.on('message', (message: Answer | MemoryReport) => {
        if (message.kind === 'Memory') note(message);
        else if (message.kind === 'Ready') resolve();
      });
      child.once('exit', () => resolve());
    });
    child.once('exit', () => {
      if (place.child !== child) return;
      place.child = undefined;
      if (!isStopped) measured.crashes++;
    });
    for (const stream of [child.stdout, child.stderr])
      if (stream) createInterface({ input: stream }).on('line', code.onLog);
    return child;
  };
  const run = async (place: Place, event: unknown): Promise<InvocationResult> => {
    const child = place.child ?? start(place);
    await place.ready;
    if (child.exitCode !== null || child.signalCode !== null)
      return failed('Runtime.ExitError', `exit status ${child.exitCode ?? child.signalCode}`);
    const milliseconds = code.timeoutSeconds * 1000 * slower;
    return new Promise((resolve) => {
      const end = (result: InvocationResult) => {
        clearTimeout(timer);
        child.off('message', hear);
        child.off('exit', crash);
        resolve(result);
      };
      const hear = (message: Answer | MemoryReport) => {
        if (message.kind === 'Answered') end(message.result);
      };
      const crash = (status: number | null, signal: string | null) =>
        end(failed('Runtime.ExitError', `exit status ${status ?? signal}`));
      const timer = setTimeout(() => {
        measured.timeouts++;
        place.child = undefined;
        end(failed('Sandbox.Timedout', `longer than ${milliseconds / 1000} s`));
        child.kill('SIGKILL');
      }, milliseconds);
      child.on('message', hear);
      child.once('exit', crash);
      const invocation: Invocation = { id: measured.invocations, event, deadline: Date.now() + milliseconds };
      child.send(invocation);
    });
  };
  const whenFree = async () => {
    while (!isStopped && places.every(({ isBusy }) => isBusy))
      await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const wake = () => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  return {
    measured,
    whenFree,
    async invoke(event) {
      const free = () => places.find(({ isBusy }) => !isBusy);
      let place = free();
      // Race: of several waiting invocations, one gets the place.
      while (!place && !isStopped) {
        await whenFree();
        place = free();
      }
      if (!place || isStopped) return failed('Runtime.Stopped', 'the bench has ended');
      place.isBusy = true;
      measured.invocations++;
      const result = await run(place, event);
      place.isBusy = false;
      if (result.kind === 'Failed' && !isStopped) {
        measured.failures++;
        code.onLog(JSON.stringify({ level: 'ERROR', message: `${result.type}: ${result.message}` }));
      }
      wake();
      return result;
    },
    counts: () => ({ ...measured, running: places.filter(({ isBusy }) => isBusy).length }),
    stop() {
      isStopped = true;
      waiting = waiting.filter((resolve) => resolve());
      wake();
    },
    async end() {
      isStopped = true;
      wake();
      const children = places.flatMap(({ child }) => child ?? []);
      await Promise.all(
        children.map((child) => {
          const gone = new Promise((resolve) => child.once('exit', resolve));
          child.kill('SIGKILL');
          return gone;
        }),
      );
    },
  };
}

function spawnFunction(
  code: FunctionCode,
  { folder, clockAhead = 0 }: { readonly folder: string; readonly clockAhead?: number },
): ChildProcess {
  return fork(path.join(folder, 'functionProcess.mjs'), [], {
    execArgv: [
      `--max-old-space-size=${Math.floor(code.memoryMiB * oldShare)}`,
      `--max-semi-space-size=${Math.floor(code.memoryMiB * semiSpaceShare)}`,
      '--import',
      path.join(folder, 'memoryProbe.mjs'),
    ],
    env: { PATH: process.env.PATH, ...variablesOf(code), BENCH_CLOCK_AHEAD: String(clockAhead) },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
}
