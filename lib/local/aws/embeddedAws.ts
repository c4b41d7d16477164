// AWS in one process, built from the synthesized template: table, queues, functions, event source mappings, schedules.
import { clientEnvironmentOf } from './account.ts';
import {
  type FunctionOptions,
  type Functions,
  get,
  type Stage,
  startFunctions,
  startMappings,
} from './embeddedFunctions.ts';
import type { EventSourceMapping } from './eventSourceMapping.ts';
import type { InvocationResult } from './functionCode.ts';
import { type LocalQueue, startLocalSqs } from './queues.ts';
import { type Schedule, startSchedule } from './schedule.ts';
import { startLocalDynamoDb } from './table.ts';
import { type Assembly, readAssembly } from './template.ts';

export interface EmbeddedAwsOptions extends FunctionOptions {
  /** Folder of the cloud assembly. */
  readonly assembly: string;
}

export interface EmbeddedAws {
  readonly tableName: string;
  /** Environment variables with which AWS SDK clients reach this instead of AWS. */
  readonly clientEnvironment: Readonly<Record<string, string>>;
  /** URL of a queue by name, or of the only queue of a stage. Throws if there is none. */
  queueUrl(nameOrStage: string): string;
  /** Invokes the function directly, without queue or schedule. Throws if the template has no such stage. */
  invoke(stage: Stage, event: unknown): Promise<InvocationResult>;
  /** Invokes every scheduled function now. */
  fireSchedules(): Promise<void>;
  /** Resolves when every function's bundle has been loaded once. */
  ready(): Promise<void>;
  stop(): Promise<void>;
}

/** Throws if the template cannot be emulated, with the name of the resource; then nothing is left running. */
export async function startEmbeddedAws(options: EmbeddedAwsOptions): Promise<EmbeddedAws> {
  const assembly = readAssembly(options.assembly);
  const stops: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const one of stops.splice(0).reverse()) await one();
  };
  try {
    return { ...(await start(assembly, options, stops)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(
  assembly: Assembly,
  options: EmbeddedAwsOptions,
  stops: (() => Promise<void>)[],
): Promise<Omit<EmbeddedAws, 'stop'>> {
  const keep = async <T extends { stop(): Promise<void> }>(starting: Promise<T>): Promise<T> => {
    const started = await starting;
    stops.push(() => started.stop());
    return started;
  };
  const [dynamoDb, sqs] = await settled([keep(startLocalDynamoDb()), keep(startLocalSqs())]);
  const clientEnvironment = clientEnvironmentOf({ sqs: sqs.endpoint, dynamoDb: dynamoDb.endpoint });
  const queues = await sqs.createQueues(assembly.queues);
  await dynamoDb.createTable(assembly.table);
  const functions = startFunctions({ assembly, options, queues, clientEnvironment });
  const { pools } = functions;
  const mappings = startMappings({ assembly, options, queues, functions, sqs });
  const schedules = assembly.schedules.map((one) => startSchedule(one, get(pools, one.function)));
  stops.push(() => stopEvents(mappings, schedules, functions));
  const stages = new Map(
    assembly.functions.map(({ logicalId, stage }) => [stage.toLowerCase(), get(pools, logicalId)]),
  );
  return {
    tableName: assembly.table.name,
    clientEnvironment,
    queueUrl: (nameOrStage) => findQueue(nameOrStage, assembly, queues).url,
    invoke(stage, event) {
      const pool = stages.get(stage);
      if (!pool) throw new Error(`function ${stage} is not in the template; it has ${[...stages.keys()].join(', ')}`);
      return pool.invoke(event);
    },
    async fireSchedules() {
      await Promise.all(schedules.map((one) => one.fire()));
    },
    ready: functions.ready,
  };
}

/** Stops functions before it waits for mappings, because a mapping ends only when its invocations have ended. */
async function stopEvents(
  mappings: readonly EventSourceMapping[],
  schedules: readonly Schedule[],
  functions: Functions,
): Promise<void> {
  for (const one of schedules) one.stop();
  for (const one of mappings) one.stopPolling();
  await functions.stop();
  await Promise.all(mappings.map((one) => one.ended()));
}

function findQueue(
  nameOrStage: string,
  { queues, mappings, functions }: Assembly,
  local: ReadonlyMap<string, LocalQueue>,
): LocalQueue {
  const named = queues.find(({ name }) => name === nameOrStage);
  if (named) return get(local, named.logicalId);
  const ids = functions.filter(({ stage }) => stage.toLowerCase() === nameOrStage).map(({ logicalId }) => logicalId);
  const [feeding, ...more] = mappings.filter((mapping) => ids.includes(mapping.function));
  if (feeding && more.length === 0) return get(local, feeding.queue);
  const known = queues.map(({ name }) => name).join(', ');
  throw new Error(
    feeding
      ? `stage ${nameOrStage} has several queues: take one of ${known}`
      : `queue ${nameOrStage} is not in the template; it has ${known}`,
  );
}

/** Waits for all promises even if one rejects, so that everything that has started can be stopped. */
async function settled<T extends readonly unknown[] | []>(
  starting: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(starting);
  return Promise.all(starting);
}
