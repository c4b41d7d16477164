// The execution environments of one function: one more whenever all are busy, up to a limit.
import type { ExecutionEnvironment } from './executionEnvironment.ts';
import type { InvocationResult } from './runtimeApi.ts';

export interface PoolOptions {
  /** Environments that start at once. */
  readonly warm: number;
  readonly limit: number;
  readonly start: () => Promise<ExecutionEnvironment>;
}

export interface PoolCounts {
  readonly environments: number;
  readonly coldStarts: number;
  readonly invocations: number;
  readonly failures: number;
}

export interface EnvironmentPool {
  /** Waits for a free environment. `onStart` is told which one it is, before the event is handed over. */
  invoke(event: unknown, onStart?: (environment: ExecutionEnvironment) => void): Promise<InvocationResult>;
  /** Resolves as soon as an invocation would not have to wait. */
  whenFree(): Promise<void>;
  /** Resolves when the warm environments have loaded. */
  ready(): Promise<void>;
  counts(): PoolCounts;
  pids(): readonly number[];
  stop(): Promise<void>;
}

export async function startEnvironmentPool({ warm, limit, start }: PoolOptions): Promise<EnvironmentPool> {
  const environments: ExecutionEnvironment[] = [];
  // The one that was busy last is taken first: it is the warmest.
  const free: ExecutionEnvironment[] = [];
  let waiting: (() => void)[] = [];
  let growing: Promise<void> | undefined;
  let stopped = false;
  let invocations = 0;
  let failures = 0;

  const add = async () => {
    const environment = await start();
    environments.push(environment);
    if (stopped) await environment.stop();
    else release(environment);
  };
  const release = (environment: ExecutionEnvironment) => {
    free.push(environment);
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
  };
  const grow = () => {
    if (growing || stopped || free.length > 0 || environments.length >= limit) return;
    growing = add().finally(() => {
      growing = undefined;
    });
  };
  const whenFree = async () => {
    while (free.length === 0 && !stopped) {
      grow();
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(warm, limit)) }, add));
  return {
    async invoke(event, onStart) {
      // Taken before anything is waited for: who asks next whether one is free must see that this one is not.
      let environment = free.pop();
      while (!environment && !stopped) {
        await whenFree();
        environment = free.pop();
      }
      if (!environment) return { kind: 'Failed', type: 'Runtime.Stopped', message: 'the function was stopped' };
      invocations++;
      onStart?.(environment);
      const result = await environment.invoke(event);
      if (result.kind === 'Failed') failures++;
      release(environment);
      return result;
    },
    whenFree,
    ready: async () => {
      await Promise.all(environments.map((one) => one.ready()));
    },
    counts: () => ({
      environments: environments.length,
      coldStarts: environments.reduce((sum, one) => sum + one.coldStarts(), 0),
      invocations,
      failures,
    }),
    pids: () => environments.flatMap((one) => one.pid() ?? []),
    async stop() {
      stopped = true;
      free.length = 0;
      for (const wake of waiting) wake();
      await growing;
      await Promise.all(environments.map((one) => one.stop()));
    },
  };
}
