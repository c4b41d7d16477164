// An installation as a user makes it: an account, `cdk bootstrap`, `cdk deploy`, and the watcher of one cluster.

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { createDynamoDbTable } from '../../../lib/adapters/dynamodb/dynamoDbTable.ts';
import type { Config } from '../../../lib/config/schema.ts';
import { startWatcherProcess, type WatcherProcess } from '../../../lib/local/watcherProcess.ts';
import { currentState, readIncarnations } from '../../../lib/state/incarnationRows.ts';
import type { State } from '../../../lib/state/state.ts';
import { type Cdk, cdkOf } from './cdk.ts';
import { type Cloud, connect, expireRows } from './cloud.ts';
import { type Emulator, type EmulatorOptions, startEmulator } from './emulator.ts';
import { startExecutor } from './executor.ts';
import { clusterName, type FleetSize, startSimulatedFleet, type TestFleet } from './fleet.ts';
import { startRealFleet } from './realFleet.ts';
import { targetName, targets } from './target.ts';

export interface Deployment {
  readonly cdk: Cdk;
  readonly cloud: Cloud;
  readonly fleet: TestFleet;
  /** Of the stack. */
  readonly outputs: Readonly<Record<string, string>>;
  /** What a client needs to reach the account. */
  readonly environment: Readonly<Record<string, string>>;
  /** Lines of the watcher, and of the executor. */
  readonly watcherLog: readonly string[];
  /** What was there before the deployment. */
  readonly before: Readonly<Record<string, readonly string[]>>;
  stop(): Promise<void>;
}

export interface DeploymentOptions extends EmulatorOptions {
  readonly size: FleetSize;
  /** No function is told how to reach the cluster; a process beside it evicts. */
  readonly outbound?: true;
  /** Further limits, as sluice.yaml has them. */
  readonly limits?: NonNullable<Config['limits']>;
  readonly settings?: NonNullable<Config['settings']>;
}

/** The expiry attribute of the table, which the emulator leaves out. */
const expiry = 'ttl';

/** Dozens of processes gain nothing on two cores, and each takes half a second to start. */
const limits = {
  ingest: { maxConcurrency: 2 },
  evaluate: { maxConcurrency: 2 },
  evict: { maxConcurrency: 2 },
  report: { maxConcurrency: 2 },
};

export async function deploy(options: DeploymentOptions): Promise<Deployment> {
  const folder = mkdtempSync(path.join(process.env.SLUICE_DEPLOY_RUNS ?? tmpdir(), 'stack-'));
  const stops: (() => Promise<void> | void)[] = [];
  const stop = async () => {
    for (const one of stops.splice(0).reverse()) await one();
  };
  try {
    const startFleet = process.env.SLUICE_DEPLOY_CLUSTER === 'real' ? startRealFleet : startSimulatedFleet;
    const fleet = await startFleet(folder, options.size);
    stops.push(fleet.stop);
    const emulator = await startEmulator(options);
    stops.push(emulator.stop);
    return { ...(await install({ folder, fleet, emulator, options, stops })), fleet, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function install(of: {
  readonly folder: string;
  readonly fleet: TestFleet;
  readonly emulator: Emulator;
  readonly options: DeploymentOptions;
  readonly stops: (() => Promise<void> | void)[];
}): Promise<Omit<Deployment, 'stop' | 'fleet'>> {
  const { folder, fleet, emulator, options } = of;
  const cloud = connect(emulator.environment);
  of.stops.push(cloud.close);
  const config: Config = {
    clusters: [{ ...fleet.props, ...(options.outbound ? { auth: { kind: 'outbound' as const } } : {}) }],
    // Without TLS at the emulator, with the command line's credentials, and with what an emulator that enforces IAM asks for.
    stack: { credentials: 'cli' },
    emulator: { plainHttp: true, batchActions: options.enforceIam },
    removal: { policy: 'destroy' },
    limits: { ...limits, ...options.limits },
    ...(options.settings === undefined ? {} : { settings: options.settings }),
  };
  const cdk = cdkOf({ folder, environment: emulator.environment, config });
  await cdk.bootstrap();
  const before = await cloud.inventory();
  const outputs = await cdk.deploy();
  await expireRows(cloud, outputs.TableName ?? '', expiry);
  const watcherLog: string[] = [];
  const watcher: WatcherProcess = startWatcherProcess({
    program: path.join(import.meta.dirname, '..', '..', '..', 'bin', 'watcher.ts'),
    kubeconfig: fleet.kubeconfig,
    queueUrl: outputs.IngestQueueUrlLocal ?? '',
    clientEnvironment: emulator.environment,
    onLog: (line) => watcherLog.push(line),
    onExit: (status) => watcherLog.push(`ended with ${status}`),
  });
  of.stops.push(watcher.stop);
  if (options.outbound) {
    const told = JSON.parse(outputs.ExecutorEnvironmentLocal ?? '{}') as Record<string, string>;
    const environment = { ...told, ...emulator.environment, KUBECONFIG: fleet.kubeconfig };
    of.stops.push(startExecutor(environment, (line) => watcherLog.push(line)));
  }
  return { cdk, cloud, outputs, watcherLog, before, environment: emulator.environment };
}

/** Asks again until it holds; fails after `seconds`, more with a slow target, with what is asked for and what `seen` shows. */
export async function until(
  what: string,
  holds: () => Promise<boolean> | boolean,
  options: { readonly seconds?: number; readonly seen?: () => Promise<unknown> | unknown } = {},
): Promise<void> {
  const end = Date.now() + (options.seconds ?? 60) * 1000 * targets[targetName()].patience;
  while (!(await holds())) {
    if (Date.now() > end)
      throw new Error(`waited in vain until ${what}; seen: ${JSON.stringify(await options.seen?.())}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The state of the cluster in the deployed table, after the first heartbeat of its watcher. */
export async function stateOf({ cloud, outputs }: Pick<Deployment, 'cloud' | 'outputs'>): Promise<State> {
  const documents = DynamoDBDocumentClient.from(cloud.dynamoDb, { marshallOptions: { removeUndefinedValues: true } });
  const table = createDynamoDbTable(documents, outputs.TableName ?? '');
  await until('the watcher is heard', async () => (await readIncarnations(table, clusterName)).length > 0);
  return currentState(table, clusterName);
}
