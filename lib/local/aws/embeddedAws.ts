// AWS in one process, driven by the synthesized template: table, queues, functions, event source mappings, schedule.
import { localCredentials, localRegion, startDynoxide } from './dynoxide.ts';
import { type EventSourceMapping, startEventSourceMapping } from './eventSourceMapping.ts';
import { type ExecutionEnvironment, type FunctionCode, startExecutionEnvironment } from './executionEnvironment.ts';
import { startInProcess } from './inProcess.ts';
import { type LocalQueue, startLocalSqs } from './queues.ts';
import { type Assembly, type FunctionResource, type Physical, readAssembly, resolveValue } from './template.ts';

export interface EmbeddedAwsOptions {
  /** Folder of the cloud assembly. */
  readonly assembly: string;
  /** Replaces variables of the template, for all functions. */
  readonly environment: Readonly<Record<string, string>>;
  readonly executor: 'process' | 'in-process';
  /** Environments per function, below the template's maximum concurrency; a laptop has few cores. */
  readonly concurrency: (stage: string) => number;
  /** Environments that start with the stack; a cold start in the middle of a burst costs slots. */
  readonly warm: (stage: string) => number;
  readonly onLog: (stage: string, line: string) => void;
}

export interface EmbeddedAws {
  readonly tableName: string;
  /** What an AWS SDK client needs to reach this instead of AWS. */
  readonly clientEnvironment: Readonly<Record<string, string>>;
  queueUrl(name: string): string;
  /** Runs every scheduled function now. */
  fireSchedules(): Promise<void>;
  stop(): Promise<void>;
}

export async function startEmbeddedAws(options: EmbeddedAwsOptions): Promise<EmbeddedAws> {
  const assembly = readAssembly(options.assembly);
  const [dynamoDb, sqs] = await Promise.all([startDynoxide(), startLocalSqs()]);
  const queues = sqs.createQueues(assembly.queues);
  const tableName = 'sluice';
  await dynamoDb.createTable(tableName, assembly.table);
  const clientEnvironment = {
    AWS_REGION: localRegion,
    AWS_ACCESS_KEY_ID: localCredentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: localCredentials.secretAccessKey,
    AWS_ENDPOINT_URL_SQS: sqs.endpoint,
    AWS_ENDPOINT_URL_DYNAMODB: dynamoDb.endpoint,
  };
  const physical = physicalOf(assembly, queues, tableName);
  const codes = new Map(
    assembly.functions.map((one) => [one.logicalId, codeOf(one, { physical, clientEnvironment, options })]),
  );
  const start = (logicalId: string): Promise<ExecutionEnvironment> => {
    const code = codes.get(logicalId);
    if (!code) throw new Error(`template: function ${logicalId} is not in the template`);
    return options.executor === 'process' ? startExecutionEnvironment(code) : startInProcess(code);
  };
  const mappings = await Promise.all(
    assembly.mappings.map((mapping): Promise<EventSourceMapping> => {
      const queue = queues.get(mapping.queue);
      if (!queue) throw new Error(`template: queue ${mapping.queue} is not in the template`);
      return startEventSourceMapping({
        client: sqs.client,
        queueUrl: queue.url,
        queueArn: queue.arn,
        batchSize: mapping.batchSize,
        concurrency: Math.min(mapping.maxConcurrency, options.concurrency(codes.get(mapping.function)?.name ?? '')),
        warm: options.warm(codes.get(mapping.function)?.name ?? ''),
        start: () => start(mapping.function),
        onFailure: (error) => options.onLog(codes.get(mapping.function)?.name ?? mapping.function, error),
      });
    }),
  );
  const schedules = await startSchedules(assembly, start, options.onLog);
  const names = new Map(assembly.queues.map((queue) => [queue.name, queues.get(queue.logicalId)?.url]));
  return {
    tableName,
    clientEnvironment,
    queueUrl(name) {
      const url = names.get(name);
      if (url === undefined)
        throw new Error(`queue ${name} is not in the template; it has ${[...names.keys()].join(', ')}`);
      return url;
    },
    fireSchedules: schedules.fire,
    async stop() {
      await Promise.all([schedules.stop(), ...mappings.map((mapping) => mapping.stop())]);
      await Promise.all([sqs.stop(), dynamoDb.stop()]);
    },
  };
}

function physicalOf(
  assembly: Assembly,
  queues: ReadonlyMap<string, LocalQueue>,
  tableName: string,
): ReadonlyMap<string, Physical> {
  const table = [
    assembly.table.logicalId,
    { ref: tableName, arn: `arn:aws:dynamodb:${localRegion}:000000000000:table/${tableName}` },
  ] as const;
  return new Map([table, ...[...queues].map(([id, queue]) => [id, { ref: queue.url, arn: queue.arn }] as const)]);
}

function codeOf(
  one: FunctionResource,
  by: {
    physical: ReadonlyMap<string, Physical>;
    clientEnvironment: Record<string, string>;
    options: EmbeddedAwsOptions;
  },
): FunctionCode {
  const variables = Object.entries(one.environment).map(([name, value]) => [
    name,
    resolveValue(value, by.physical, `${one.logicalId} ${name}`),
  ]);
  return {
    name: one.stage.toLowerCase(),
    folder: one.folder,
    handler: one.handler,
    timeoutSeconds: one.timeoutSeconds,
    memoryMiB: one.memoryMiB,
    environment: { ...Object.fromEntries(variables), ...by.clientEnvironment, ...by.options.environment },
    onLog: (line) => by.options.onLog(one.stage.toLowerCase(), line),
  };
}

async function startSchedules(
  assembly: Assembly,
  start: (logicalId: string) => Promise<ExecutionEnvironment>,
  onLog: EmbeddedAwsOptions['onLog'],
): Promise<{ fire: () => Promise<void>; stop: () => Promise<void> }> {
  const scheduled = await Promise.all(
    assembly.schedules.map(async (schedule) => ({
      ...schedule,
      environment: await start(schedule.function),
      running: Promise.resolve(),
    })),
  );
  const run = (one: (typeof scheduled)[number]) => {
    one.running = one.running.then(async () => {
      const result = await one.environment.invoke({ source: 'aws.events', 'detail-type': 'Scheduled Event' });
      if (result.kind === 'Failed') onLog('sweep', result.error);
    });
    return one.running;
  };
  const timers = scheduled.map((one) => setInterval(() => void run(one), one.everyMinutes * 60_000));
  return {
    fire: async () => {
      await Promise.all(scheduled.map(run));
    },
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await Promise.all(scheduled.map((one) => one.environment.stop()));
    },
  };
}
