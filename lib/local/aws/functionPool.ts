// One function in its execution environments: which one takes the next invocation, and how many run at once.
import type { ExecutionEnvironment } from './executionEnvironment.ts';
import { failed, type InvocationResult } from './functionCode.ts';

export interface PoolCounts {
  readonly invocations: number;
  readonly failures: number;
  readonly running: number;
}

export interface FunctionPool {
  /** Waits while all environments are taken. `onStart` is told which one it is, before the event is handed over. */
  invoke(event: unknown, onStart?: (environment: ExecutionEnvironment) => void): Promise<InvocationResult>;
  /** Resolves as soon as an invocation would not have to wait. */
  whenFree(): Promise<void>;
  counts(): PoolCounts;
  stop(): void;
}

export interface PoolOptions {
  readonly name: string;
  /** Perhaps shared with other functions. The first one is taken unless it is at work. */
  readonly environments: readonly ExecutionEnvironment[];
  /** Invocations of this function that run at once in one environment; 1 is what AWS Lambda does. */
  readonly sideBySide: number;
}

export function createFunctionPool({ name, environments, sideBySide }: PoolOptions): FunctionPool {
  const places = environments.map((environment) => ({ environment, running: 0 }));
  let waiting: (() => void)[] = [];
  let invocations = 0;
  let failures = 0;
  let stopped = false;

  /** The least busy of those that are started; another one is started for the next invocation where all are busy. */
  const free = () => {
    const open = places.filter(({ running }) => running < sideBySide);
    const started = open.filter(({ environment }) => environment.isStarted());
    const [best] = started.toSorted((a, b) => a.environment.running() - b.environment.running());
    if (best?.environment.running() === 0) return best;
    const cold = open.find(({ environment }) => !environment.isStarted());
    if (best && cold) void cold.environment.load(name);
    return best ?? cold;
  };
  const wake = () => {
    const woken = waiting;
    waiting = [];
    for (const resolve of woken) resolve();
  };
  const whenFree = async () => {
    while (!stopped && places.every(({ running }) => running >= sideBySide))
      await new Promise<void>((resolve) => waiting.push(resolve));
  };
  return {
    async invoke(event, onStart) {
      let place = free();
      while (!place && !stopped) {
        await whenFree();
        place = free();
      }
      if (!place || stopped) return failed('Runtime.Stopped', 'the function was stopped');
      place.running++;
      invocations++;
      onStart?.(place.environment);
      const result = await place.environment.invoke(name, event);
      place.running--;
      if (result.kind === 'Failed') failures++;
      wake();
      return result;
    },
    whenFree,
    counts: () => ({ invocations, failures, running: places.reduce((sum, { running }) => sum + running, 0) }),
    stop() {
      stopped = true;
      wake();
    },
  };
}
