// Table, queues and functions of the benchmark: the deployed template with handlers in processes sized as in AWS Lambda.
import path from 'node:path';
import { GetQueueAttributesCommand, PurgeQueueCommand } from '@aws-sdk/client-sqs';
import { buildSync } from 'esbuild';
import { functionOptions } from '../../infra/bundling.ts';
import { widgetLimits } from '../../lib/contract.ts';
import { clientEnvironmentOf } from '../../lib/local/aws/account.ts';
import { get } from '../../lib/local/aws/embeddedFunctions.ts';
import { startEventSourceMapping } from '../../lib/local/aws/eventSourceMapping.ts';
import type { FunctionCode, InvocationResult } from '../../lib/local/aws/functionCode.ts';
import { nameResources } from '../../lib/local/aws/naming.ts';
import { startLocalSqs } from '../../lib/local/aws/queues.ts';
import type { FunctionResource } from '../../lib/local/aws/resources/function.ts';
import { startSchedule } from '../../lib/local/aws/schedule.ts';
import { startLocalDynamoDb } from '../../lib/local/aws/table.ts';
import { type Assembly, readAssembly } from '../../lib/local/aws/template.ts';
import type { Build } from '../../lib/local/build.ts';
import { temporaryFolder } from '../../lib/local/temporaryFolder.ts';
import { bundleProcess, type FunctionProcesses, type Measured, startFunctionProcesses } from './functionProcesses.ts';

export interface BenchOptions {
  readonly build: Build;
  readonly environment: Readonly<Record<string, string>>;
  /** Number of processes by function; default one. */
  readonly processes: Readonly<Record<string, number>>;
  readonly onError: (stage: string, message: string) => void;
}

export interface BenchInstallation {
  readonly clientEnvironment: Readonly<Record<string, string>>;
  readonly tableName: string;
  queueUrl(name: string): string;
  /** Number of pending and in-flight messages by function. */
  depths(): Promise<Readonly<Record<string, number>>>;
  /** Names of the dead-letter queues that hold messages, with how many. */
  deadLetters(): Promise<readonly string[]>;
  measured(): ReadonlyMap<string, Measured>;
  /** Runs one invocation in a new process, with other variables or a clock that is ahead. */
  runOnce(stage: string, label: string, by: OneRun): Promise<InvocationResult>;
  stop(): Promise<void>;
}

export interface OneRun {
  readonly event: unknown;
  readonly environment?: Readonly<Record<string, string>>;
  readonly clockAhead?: number;
}

/** The local template has no widget function; uses the sweep's environment for it. */
function widgetOf({ functions }: Assembly, folder: string): FunctionResource {
  const sweep = functions.find(({ stage }) => stage === 'Sweep');
  if (!sweep) throw new Error('the template has no sweep');
  const entry = path.join(import.meta.dirname, '..', '..', 'functions', 'widget.ts');
  const own = path.join(folder, 'widget');
  buildSync({ ...functionOptions(entry), outfile: path.join(own, 'index.mjs') });
  const { timeout: timeoutSeconds, memoryMiB } = widgetLimits;
  return { ...sweep, stage: 'Widget', folder: own, handler: 'index.handler', timeoutSeconds, memoryMiB };
}

export async function startBenchInstallation(options: BenchOptions): Promise<BenchInstallation> {
  const assembly = readAssembly(options.build.assembly);
  const [dynamoDb, sqs] = await Promise.all([startLocalDynamoDb(), startLocalSqs()]);
  const clientEnvironment = clientEnvironmentOf({ sqs: sqs.endpoint, dynamoDb: dynamoDb.endpoint });
  const queues = await sqs.createQueues(assembly.queues);
  await dynamoDb.createTable(assembly.table);
  const folder = temporaryFolder('sluice-processes-');
  bundleProcess(folder.path);
  const name = nameResources(assembly, queues);
  const codeOf = (stage: string, environment: Readonly<Record<string, string>>): FunctionCode => {
    const one =
      assembly.functions.find((each) => each.stage.toLowerCase() === stage) ?? widgetOf(assembly, folder.path);
    const onLog = (line: string) => {
      if (line.includes('"ERROR"')) options.onError(stage, line);
      else if (!line.startsWith('{')) options.onError(stage, line);
    };
    return name(one, { chosen: environment, client: clientEnvironment, onLog });
  };
  const stages = assembly.functions.map(({ stage }) => stage.toLowerCase());
  const pools = new Map<string, FunctionProcesses>(
    stages.map((stage) => {
      const processes = options.processes[stage] ?? 1;
      return [stage, startFunctionProcesses(codeOf(stage, options.environment), { folder: folder.path, processes })];
    }),
  );
  const stageOf = (logicalId: string) =>
    assembly.functions.find((one) => one.logicalId === logicalId)?.stage.toLowerCase() ?? '';
  const mappings = assembly.mappings
    .filter(({ enabled }) => enabled)
    .map((mapping) => {
      const pool = get(pools, stageOf(mapping.function));
      return startEventSourceMapping({ ...mapping, client: sqs.client, queue: get(queues, mapping.queue), pool });
    });
  const schedules = assembly.schedules.map((one) => startSchedule(one, get(pools, stageOf(one.function))));
  const attributes = async (url: string) => {
    const names = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
    const { Attributes = {} } = await sqs.client.send(
      new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: [...names] }),
    );
    return names.reduce((sum, one) => sum + Number(Attributes[one] ?? 0), 0);
  };
  const dead = assembly.queues.flatMap(({ redrive }) => (redrive ? [redrive.deadLetterQueue] : []));
  const extra = new Map<string, Measured>();
  return {
    clientEnvironment,
    tableName: assembly.table.name,
    queueUrl(wanted) {
      const found = [...queues.values()].find((queue) => queue.name === wanted);
      if (!found) throw new Error(`there is no queue ${wanted}`);
      return found.url;
    },
    async depths() {
      const found = assembly.mappings.map(async (mapping) => {
        const depth = await attributes(get(queues, mapping.queue).url);
        return [stageOf(mapping.function), depth] as const;
      });
      return Object.fromEntries(await Promise.all(found));
    },
    async deadLetters() {
      const found = [...new Set(dead)].map(async (id) => {
        const { name, url } = get(queues, id);
        const count = await attributes(url);
        return count > 0 ? [`${count} in ${name}`] : [];
      });
      return (await Promise.all(found)).flat();
    },
    measured: () => new Map([...[...pools].map(([stage, pool]) => [stage, pool.measured] as const), ...extra]),
    async runOnce(stage, label, { event, environment = {}, clockAhead = 0 }) {
      const code = codeOf(stage, { ...options.environment, ...environment });
      const one = startFunctionProcesses(code, { folder: folder.path, processes: 1, clockAhead });
      extra.set(label, one.measured);
      const result = await one.invoke(event);
      // Wait for the last memory report.
      await new Promise((resolve) => setTimeout(resolve, 1200));
      await one.end();
      return result;
    },
    async stop() {
      for (const one of schedules) one.stop();
      for (const one of mappings) one.stopPolling();
      await Promise.all([...pools.values()].map((pool) => pool.end()));
      for (const { url } of queues.values())
        await sqs.client.send(new PurgeQueueCommand({ QueueUrl: url })).catch(() => {});
      await sqs.stop();
      await dynamoDb.stop();
      folder.remove();
    },
  };
}
