// Functions of the template in their execution environments, and their event source mappings.
import { type EventSourceMapping, startEventSourceMapping } from './eventSourceMapping.ts';
import { createExecutionEnvironment, type ExecutionEnvironment } from './executionEnvironment.ts';
import type { InjectFault } from './faults.ts';
import { createFunctionPool, type FunctionPool } from './functionPool.ts';
import { nameResources } from './naming.ts';
import type { LocalQueue, LocalSqs } from './queues.ts';
import type { Assembly } from './template.ts';

/** `ingest` for the function of the construct `Ingest`. */
export type Stage = string;

export interface FunctionOptions {
  /** Variables of each function; they override the template's. */
  readonly environment: (stage: Stage) => Readonly<Record<string, string>>;
  /** Number of execution environments shared by the functions with one invocation per environment at a time. */
  readonly environments: number;
  /** Concurrent invocations of a function; above 1 it gets a separate environment for all of them. */
  readonly sideBySide: (stage: Stage) => number;
  readonly onLog: (stage: Stage, line: string) => void;
  /** Fault injection for tests. */
  readonly inject?: InjectFault;
}

export interface Functions {
  /** By logical id. */
  readonly pools: ReadonlyMap<string, FunctionPool>;
  readonly environments: readonly ExecutionEnvironment[];
  /** Resolves when every function's bundle has been loaded once. */
  ready(): Promise<void>;
  stop(): Promise<void>;
}

export function startFunctions(of: {
  readonly assembly: Assembly;
  readonly options: FunctionOptions;
  readonly queues: ReadonlyMap<string, LocalQueue>;
  readonly clientEnvironment: Readonly<Record<string, string>>;
}): Functions {
  const { options } = of;
  const nameCode = nameResources(of.assembly, of.queues);
  const named = of.assembly.functions.map(({ stage: construct, ...rest }) => {
    const stage = construct.toLowerCase();
    const code = nameCode(
      { ...rest, stage: construct },
      {
        chosen: options.environment(stage),
        client: of.clientEnvironment,
        onLog: (line) => options.onLog(stage, line),
      },
    );
    return { logicalId: rest.logicalId, code, sideBySide: options.sideBySide(stage) };
  });
  const sharing = named.filter(({ sideBySide }) => sideBySide === 1).map(({ code }) => code);
  const shared =
    sharing.length === 0 ? [] : Array.from({ length: options.environments }, () => createExecutionEnvironment(sharing));
  const placed = named.map(({ logicalId, code, sideBySide }) => {
    const environments = sideBySide === 1 ? shared : [createExecutionEnvironment([code])];
    const pool = createFunctionPool({ name: code.name, environments, sideBySide });
    return { logicalId, pool, environments, loading: environments[0]?.load(code.name) };
  });
  const environments = [...new Set(placed.flatMap((one) => one.environments))];
  return {
    pools: new Map(placed.map(({ logicalId, pool }) => [logicalId, pool])),
    environments,
    async ready() {
      await Promise.all(placed.map(({ loading }) => loading));
    },
    async stop() {
      for (const { pool } of placed) pool.stop();
      await Promise.all(environments.map((one) => one.stop()));
    },
  };
}

export function startMappings(of: {
  readonly assembly: Assembly;
  readonly options: FunctionOptions;
  readonly queues: ReadonlyMap<string, LocalQueue>;
  readonly functions: Functions;
  readonly sqs: LocalSqs;
}): readonly EventSourceMapping[] {
  return of.assembly.mappings
    .filter((mapping) => mapping.enabled)
    .map((mapping) =>
      startEventSourceMapping({
        ...mapping,
        client: of.sqs.client,
        queue: get(of.queues, mapping.queue),
        pool: get(of.functions.pools, mapping.function),
        ...(of.options.inject ? { inject: of.options.inject } : {}),
      }),
    );
}

export function get<T>(map: ReadonlyMap<string, T>, logicalId: string): T {
  const found = map.get(logicalId);
  if (found === undefined) throw new Error(`template: ${logicalId} is not in the template`);
  return found;
}
