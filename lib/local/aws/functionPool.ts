// Execution environments of one function: assigns invocations to them and limits concurrency.
import type { ExecutionEnvironment } from './executionEnvironment.ts';
import { failed, type InvocationResult } from './functionCode.ts';

export interface PoolCounts {
  readonly invocations: number;
  readonly failures: number;
  readonly running: number;
}

export interface FunctionPool {
  /** Waits while all environments are busy. `onStart` gets the chosen environment before the event is delivered. */
  invoke(event: unknown, onStart?: (environment: ExecutionEnvironment) => void): Promise<InvocationResult>;
  /** Resolves when an environment is free. */
  whenFree(): Promise<void>;
  counts(): PoolCounts;
  stop(): void;
}

export interface PoolOptions {
  readonly name: string;
  /** May be shared with other functions. The first free one is used. */
  readonly environments: readonly ExecutionEnvironment[];
  /** Concurrent invocations of this function per environment; 1 in AWS Lambda. */
  readonly sideBySide: number;
}

export function createFunctionPool({ name, environments, sideBySide }: PoolOptions): FunctionPool {
  const places = environments.map((environment) => ({ environment, running: 0 }));
  let waiting: (() => void)[] = [];
  let invocations = 0;
  let failures = 0;
  let stopped = false;

  /** The least busy started environment. If all of them are busy, also starts another one for the next invocation. */
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
