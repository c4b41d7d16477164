// An execution environment: a thread that holds functions; replaced after a crash, an exit, a time-out and a failed load.
import { type Failure, type FunctionCode, failed, type InvocationResult } from './functionCode.ts';
import { startThread, type Thread } from './thread.ts';

export interface ExecutionEnvironment {
  /** Starts the thread where there is none. A failure is a value, and a line of the function's log. */
  invoke(name: string, event: unknown): Promise<InvocationResult>;
  /** Imports a function's bundle ahead of its first invocation; resolves when it is loaded, or failed to. */
  load(name: string): Promise<void>;
  /** Invocations that run now, of all functions. */
  running(): number;
  isStarted(): boolean;
  /** How often a thread was started. */
  coldStarts(): number;
  /** Ends the thread as a lack of memory would. */
  crash(): void;
  stop(): Promise<void>;
}

/** AWS gives 10 s; a machine that is busy with other work may need longer. */
const initSeconds = 30;

export function createExecutionEnvironment(functions: readonly FunctionCode[]): ExecutionEnvironment {
  /** A thread that was replaced ends when its last invocation has. */
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
  /** Takes nothing more. Other invocations on the thread continue to their own end. */
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
