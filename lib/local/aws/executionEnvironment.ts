// Execution environment: a thread with functions, replaced after a crash, an exit, a timeout or a failed load.
import { type Failure, type FunctionCode, failed, type InvocationResult } from './functionCode.ts';
import { startThread, type Thread } from './thread.ts';

export interface ExecutionEnvironment {
  /** Starts a thread if there is none. A failure is returned, and logged in the function's log. */
  invoke(name: string, event: unknown): Promise<InvocationResult>;
  /** Imports a function's bundle before its first invocation; resolves when that has succeeded or failed. */
  load(name: string): Promise<void>;
  /** Number of running invocations of all functions. */
  running(): number;
  isStarted(): boolean;
  /** Number of thread starts. */
  coldStarts(): number;
  /** Ends the thread like an out-of-memory crash. */
  crash(): void;
  stop(): Promise<void>;
}

/** AWS Lambda allows 10 s for initialization; a busy machine may need longer. */
const initSeconds = 30;

export function createExecutionEnvironment(functions: readonly FunctionCode[]): ExecutionEnvironment {
  /** Includes replaced threads, which end after their last invocation. */
  const threads = new Set<Thread>();
  let current: Thread | undefined;
  let coldStarts = 0;
  let running = 0;
  let stopped = false;

  const thread = (): Thread => {
    if (current) return current;
    coldStarts++;
    const started = startThread(functions, () => {
      threads.delete(started);
      if (current === started) current = undefined;
    });
    threads.add(started);
    current = started;
    return started;
  };
  /** The thread gets no new invocations; its running ones continue. */
  const retire = (spoiled: Thread) => {
    if (current === spoiled) current = undefined;
    spoiled.endWhenIdle();
  };
  const log = (code: FunctionCode, { type, message, trace }: Failure) => {
    if (stopped) return;
    const fields = { function: code.name, errorType: type, stack: trace?.join('\n') };
    code.onLog(JSON.stringify({ level: 'ERROR', message, ...fields }));
  };
  const load = async (on: Thread, code: FunctionCode): Promise<InvocationResult> => {
    const late = failed('Sandbox.Timedout', `the bundle did not load within ${initSeconds} s`);
    const result = await on.load(code.name, initSeconds * 1000, late);
    if (result.kind === 'Failed') retire(on);
    return result;
  };
  const run = async (code: FunctionCode, event: unknown): Promise<InvocationResult> => {
    const on = thread();
    const loaded = await load(on, code);
    if (loaded.kind === 'Failed') return loaded;
    const late = failed('Sandbox.Timedout', `the function ran longer than ${code.timeoutSeconds} s`);
    const result = await on.run(code.name, event, code.timeoutSeconds * 1000, late);
    if (result === late) retire(on);
    return result;
  };
  const codeOf = (name: string): FunctionCode => {
    const found = functions.find((code) => code.name === name);
    if (!found) throw new Error(`this execution environment has no function ${name}`);
    return found;
  };
  return {
    async invoke(name, event) {
      const code = codeOf(name);
      if (stopped) return failed('Runtime.Stopped', 'the environment was stopped');
      running++;
      const result = await run(code, event);
      running--;
      if (result.kind === 'Failed') log(code, result);
      return result;
    },
    async load(name) {
      const code = codeOf(name);
      if (stopped) return;
      const result = await load(thread(), code);
      if (result.kind === 'Failed') log(code, result);
    },
    running: () => running,
    isStarted: () => current !== undefined,
    coldStarts: () => coldStarts,
    crash: () => void current?.end(),
    async stop() {
      stopped = true;
      await Promise.all([...threads].map((one) => one.end()));
    },
  };
}
