// The composition root: from the environment to adapters, built once per process.

import { systemClock } from '../adapters/clock.ts';
import { createDynamoDbTable } from '../adapters/dynamodb/dynamoDbTable.ts';
import { createApiClient } from '../adapters/kubernetes/apiClient.ts';
import { type CredentialsSource, credentialsFromFile } from '../adapters/kubernetes/credentials.ts';
import { eksCredentials } from '../adapters/kubernetes/eksCredentials.ts';
import { createSqsQueues } from '../adapters/sqs/queues.ts';
import { createReturnLater, type ReturnLater } from '../adapters/sqs/visibility.ts';
import type { ClusterConnection } from '../contract.ts';
import { createMemory } from '../memory.ts';
import { clusterNameOf } from '../model/identity.ts';
import type { ConfiguredModes } from '../model/ownership.ts';
import type { ClusterStepDependencies, EvictionAccess, StepDependencies } from '../steps/step.ts';
import type { AccessThrough } from './access.ts';
import { createDocumentClient, createSqsClient } from './awsClients.ts';
import { type Environment, processEnvironment, readEnvironment } from './environment.ts';
import { createLog, createMetrics, type FlushedMetrics } from './powertools.ts';
import { tableFor } from './stageTable.ts';

export interface FunctionDependencies extends StepDependencies {
  readonly metrics: FlushedMetrics;
  readonly environment: Environment;
  readonly returnLater: ReturnLater;
}

/** `required`: the variables that the stage needs; all missing ones are reported together. */
export function createDependencies(stage: string, required: readonly string[]): FunctionDependencies {
  const environment = readEnvironment(processEnvironment, required);
  const sqs = createSqsClient();
  return {
    environment,
    table: tableFor(stage, createDynamoDbTable(createDocumentClient(), environment.table)),
    clock: systemClock,
    queues: createSqsQueues(sqs, { ...environment.queueUrls, outbound: outboundOf(environment) }, systemClock),
    returnLater: createReturnLater(sqs),
    metrics: createMetrics((line) => console.log(line), systemClock.now),
    log: createLog(stage),
    modesOf: (cluster) => modesOf(environment.clusters[clusterNameOf(cluster)]),
    limitOf: (cluster) => environment.clusters[clusterNameOf(cluster)]?.maxEvictionsPerSecond,
    settings: environment.settings,
    recordDays: environment.recordDays,
    memory: createMemory(),
  };
}

/** `createDependencies` plus access to the API servers, for stages that have credentials. */
export function createClusterDependencies<Access extends EvictionAccess>(
  stage: string,
  required: readonly string[],
  through: AccessThrough<Access>,
): FunctionDependencies & ClusterStepDependencies<Access> {
  const deps = createDependencies(stage, required);
  const known = new Map<string, Access>();
  return {
    ...deps,
    accessTo(cluster) {
      const connection = deps.environment.clusters[cluster];
      if (!connection) return undefined;
      // The executor in the cluster has the credentials; a message sent before the executor was installed is not handled here.
      if (connection.auth.kind === 'outbound') return undefined;
      const access = known.get(cluster) ?? through(createApiClient(connection, credentialsOf(connection, deps)), deps);
      known.set(cluster, access);
      return access;
    },
  };
}

/** A cluster that is not configured has both modes `off`. */
function modesOf(connection: ClusterConnection | undefined): ConfiguredModes {
  if (!connection) return { native: 'off', paced: 'off' };
  const { native, paced = 'own', inTree } = connection;
  return { native, paced, ...(inTree === 'ignore' ? { ignoresInTree: true } : {}) };
}

function outboundOf({ clusters }: Environment): ReadonlySet<string> {
  return new Set(Object.keys(clusters).filter((name) => clusters[name]?.auth.kind === 'outbound'));
}

function credentialsOf({ auth }: ClusterConnection, { clock }: FunctionDependencies): CredentialsSource {
  switch (auth.kind) {
    case 'eks':
      return eksCredentials(auth.clusterName, processEnvironment, clock.now);
    case 'file':
      return credentialsFromFile(auth.path);
    case 'outbound':
      throw new Error('no function has credentials for an outbound cluster');
    default:
      return auth satisfies never;
  }
}
