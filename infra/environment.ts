// The environment that functions are given, in the names and forms of the contract.
import {
  type ClusterConnection,
  clusterStages,
  filePrefix,
  environmentNames as names,
  outboundQueue,
  type Stage,
} from '../lib/contract.ts';
import type { ClusterProps, SluiceProps } from './props.ts';

/** Bytes of all variables of a function together (AWS Lambda quota). */
const environmentLimit = 4096;

/** What table name, queue URLs and settings may take of it; where the rest does not suffice, it is told by files. */
const environmentReserve = 1024;

/**
 * By cluster: `<stack>-ingest-<cluster>`, because a cluster's identity comes from its queue. Other stages share `<stack>-<stage>`,
 * but outbound clusters have evict and report queues of their own.
 */
export function queueNamesOf(stackName: string, stage: Stage, clusters: readonly ClusterProps[]) {
  const shared = `${stackName}-${stage}`;
  const own = stage === 'ingest' ? clusters : isClusterStage(stage) ? clusters.filter(isOutbound) : [];
  const named = Object.fromEntries(own.map(({ name }) => [name, outboundQueue(shared, name)]));
  return stage === 'ingest' ? named : { '': shared, ...named };
}

export function isOutbound({ auth }: ClusterProps): boolean {
  return auth.kind === 'outbound';
}

function isClusterStage(stage: Stage): boolean {
  return clusterStages.some((one) => one === stage);
}

/** Only functions that call an API server need the certificate of its authority; it is the bulk of the environment. */
export function connectionsOf(clusters: readonly ClusterProps[], callsClusters: boolean): string {
  const connections = clusters.map(({ name, endpoint, certificateAuthority, auth, native, ...rest }) => {
    const { maxEvictionsPerSecond: most, paced, inTree } = rest;
    const other = { ...(paced === undefined ? {} : { paced }), ...(inTree === undefined ? {} : { inTree }) };
    const limit = most === undefined ? {} : { maxEvictionsPerSecond: most };
    const authority = callsClusters && certificateAuthority !== undefined ? { certificateAuthority } : {};
    return [name, { endpoint, ...authority, auth, native, ...other, ...limit } satisfies ClusterConnection] as const;
  });
  return JSON.stringify(Object.fromEntries(connections));
}

/** `{"<queue name>": "<cluster>"}` */
export function ingestQueuesOf(stackName: string, clusters: readonly ClusterProps[]): string {
  const byCluster = queueNamesOf(stackName, 'ingest', clusters);
  return JSON.stringify(Object.fromEntries(Object.entries(byCluster).map(([cluster, queue]) => [queue, cluster])));
}

/** What a function is told: variables, and files beside its bundle for what is too large for variables. */
export interface Told {
  readonly environment: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, string>>;
}

export function toldOf(
  props: SluiceProps,
  of: { tableName: string; callsClusters: boolean; ingestQueues?: string },
): Told {
  const large = {
    [names.clusters]: connectionsOf(props.clusters, of.callsClusters),
    ...(of.ingestQueues === undefined ? {} : { [names.ingestQueues]: of.ingestQueues }),
  };
  const small = {
    [names.table]: of.tableName,
    ...(props.settings ? { [names.settings]: JSON.stringify(props.settings) } : {}),
    ...(props.recordDays === undefined ? {} : { [names.recordDays]: String(props.recordDays) }),
  };
  const size = Object.values(large).reduce((sum, value) => sum + value.length, 0);
  if (size <= environmentLimit - environmentReserve) return { environment: { ...small, ...large }, files: {} };
  const files = Object.entries(large).map(([name, value]) => [name, `${name}.json`, value] as const);
  return {
    environment: { ...small, ...Object.fromEntries(files.map(([name, file]) => [name, `${filePrefix}${file}`])) },
    files: Object.fromEntries(files.map(([, file, value]) => [file, value])),
  };
}

/** Under which variable a stage's queue is known to those who send to it. */
export const queueVariables = {
  evaluate: names.evaluateQueueUrl,
  evict: names.evictQueueUrl,
  report: names.reportQueueUrl,
} as const;

/** Bytes that a file is written with: it travels as one argument of a command (131,072 on Linux, and base64 takes a third more). */
export const fileLimit = 90_000;
