// The template's functions as pools of environments, and the event source mappings that feed them from queues.
import { type EnvironmentPool, startEnvironmentPool } from './environmentPool.ts';
import { type EventSourceMapping, startEventSourceMapping } from './eventSourceMapping.ts';
import { startExecutionEnvironment } from './executionEnvironment.ts';
import type { InjectFault } from './faults.ts';
import { nameResources } from './naming.ts';
import type { LocalQueue, LocalSqs } from './queues.ts';
import { startProcess, startThread } from './runtime.ts';
import type { Assembly } from './template.ts';

/** `ingest` for the function of the construct `Ingest`. */
export type Stage = string;

export interface FunctionOptions {
  /** Replaces variables that the template gives a function; it gives none that the template does not name. */
  readonly environment: (stage: Stage) => Readonly<Record<string, string>>;
  /** in-process: threads of this process, for debuggers and small machines. */
  readonly executor: 'process' | 'in-process';
  /** Environments of a function at most; the template's maximum concurrency holds too. */
  readonly concurrency: (stage: Stage) => number;
  /** Environments that start with the stack, at least one; a cold start in the middle of a burst costs slots. */
  readonly warm: (stage: Stage) => number;
  readonly onLog: (stage: Stage, line: string) => void;
  /** For tests. */
  readonly inject?: InjectFault;
}

export type Pools = ReadonlyMap<string, EnvironmentPool>;

/** By logical id. */
export async function startFunctions(of: {
  readonly assembly: Assembly;
  readonly options: FunctionOptions;
  readonly queues: ReadonlyMap<string, LocalQueue>;
  readonly clientEnvironment: Readonly<Record<string, string>>;
  readonly keep: (starting: Promise<EnvironmentPool>) => Promise<EnvironmentPool>;
}): Promise<Pools> {
  const { assembly, options } = of;
  const codeOf = nameResources(assembly, of.queues);
  const startRuntime = options.executor === 'process' ? startProcess : startThread;
  const starting = assembly.functions.map(async (one) => {
    const stage = one.stage.toLowerCase();
    const code = codeOf(one, {
      replaced: options.environment(stage),
      client: of.clientEnvironment,
      onLog: (line) => options.onLog(stage, line),
    });
    const pool = startEnvironmentPool({
      warm: options.warm(stage),
      limit: options.concurrency(stage),
      start: () => startExecutionEnvironment(code, startRuntime),
    });
    return [one.logicalId, await of.keep(pool)] as const;
  });
  return new Map(await settled(starting));
}

export function startMappings(of: {
  readonly assembly: Assembly;
  readonly options: FunctionOptions;
  readonly queues: ReadonlyMap<string, LocalQueue>;
  readonly pools: Pools;
  readonly sqs: LocalSqs;
}): readonly EventSourceMapping[] {
  return of.assembly.mappings
    .filter((mapping) => mapping.enabled)
    .map((mapping) =>
      startEventSourceMapping({
        ...mapping,
        client: of.sqs.client,
        queue: get(of.queues, mapping.queue),
        pool: get(of.pools, mapping.function),
        ...(of.options.inject ? { inject: of.options.inject } : {}),
      }),
    );
}

export function get<T>(map: ReadonlyMap<string, T>, logicalId: string): T {
  const found = map.get(logicalId);
  if (found === undefined) throw new Error(`template: ${logicalId} is not in the template`);
  return found;
}

/** Waits for all of them even where one fails, so that whatever did start is known and can be stopped. */
export async function settled<T extends readonly unknown[] | []>(
  starting: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(starting);
  return Promise.all(starting);
}
