// Local installation for one cluster: the embedded AWS with the real functions, and the real watcher.
import { availableParallelism } from 'node:os';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { createDynamoDbTable } from '../adapters/dynamodb/dynamoDbTable.ts';
import { environmentNames } from '../contract.ts';
import type { InstallationSettings } from '../model/snapshot.ts';
import { currentState } from '../state/incarnationRows.ts';
import type { State } from '../state/state.ts';
import { localCredentials } from './aws/account.ts';
import { type EmbeddedAws, startEmbeddedAws } from './aws/embeddedAws.ts';
import type { Build } from './build.ts';
import type { LocalCluster } from './kubeconfig.ts';
import { startWatcherProcess, type WatcherProcess } from './watcherProcess.ts';

/** Name of the only cluster in the template. */
export const localClusterName = 'local';

export interface InstallationOptions {
  /** Override the functions' defaults. */
  readonly settings?: Partial<InstallationSettings>;
  /** Days for which records are kept. */
  readonly recordDays?: number;
  readonly cluster: LocalCluster;
  readonly build: Build;
  /** Log lines of functions and watcher. */
  readonly onLog: (source: string, line: string) => void;
}

export interface Installation {
  /** State of the incarnation that currently sends heartbeats. */
  readonly state: () => Promise<State>;
  readonly aws: EmbeddedAws;
  readonly watcher: Pick<WatcherProcess, 'pid'>;
  stop(): Promise<void>;
}

/** Evict invocations mostly wait for tokens and API servers, so that many can share one event loop. */
const sideBySide = (stage: string) => (stage === 'evict' ? 64 : 1);

/** Environment variables of every function in addition to the template's. */
export function functionEnvironment({
  cluster,
  settings = {},
  recordDays,
}: Pick<InstallationOptions, 'cluster' | 'settings' | 'recordDays'>): Readonly<Record<string, string>> {
  return {
    [environmentNames.clusters]: JSON.stringify({ [localClusterName]: cluster.connection }),
    [environmentNames.settings]: JSON.stringify(settings),
    ...(recordDays === undefined ? {} : { [environmentNames.recordDays]: String(recordDays) }),
    [environmentNames.logLevel]: 'INFO',
  };
}

export async function startInstallation(options: InstallationOptions): Promise<Installation> {
  const environment = functionEnvironment(options);
  const aws = await startEmbeddedAws({
    assembly: options.build.assembly,
    environment: () => environment,
    environments: availableParallelism(),
    sideBySide,
    onLog: options.onLog,
  });
  const watcher: WatcherProcess = startWatcherProcess({
    program: options.build.watcher,
    compileCache: options.build.compileCache,
    kubeconfig: options.cluster.kubeconfig,
    queueUrl: aws.queueUrl(`Sluice-ingest-${localClusterName}`),
    clientEnvironment: aws.clientEnvironment,
    onLog: (line) => options.onLog('watcher', line),
    onExit: (status) =>
      options.onLog(
        'watcher',
        JSON.stringify({ level: 'ERROR', message: `the watcher ended with status ${status}; it is started again` }),
      ),
  });
  const client = new DynamoDBClient({
    region: aws.clientEnvironment.AWS_REGION ?? '',
    credentials: localCredentials,
    endpoint: aws.clientEnvironment.AWS_ENDPOINT_URL_DYNAMODB ?? '',
  });
  const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  const table = createDynamoDbTable(documents, aws.tableName);
  return {
    aws,
    watcher,
    state: () => currentState(table, localClusterName),
    async stop() {
      await watcher.stop();
      await aws.stop();
      client.destroy();
    },
  };
}
