// Environment of the functions, with names and formats of lib/contract.ts.
import {
  type ClusterConnection,
  clusterStages,
  filePrefix,
  environmentNames as names,
  outboundQueue,
  type Stage,
} from '../lib/contract.ts';
import type { ClusterProps, SluiceProps } from './props.ts';

/** Maximum bytes of all variables of a function (AWS Lambda quota). */
const environmentLimit = 4096;

/** Bytes reserved for table name, queue URLs and settings; values that do not fit into the rest go into files. */
const environmentReserve = 1024;

/**
 * Queue names by cluster: `<stack>-ingest-<cluster>`, because the queue identifies the cluster. Other stages share
 * `<stack>-<stage>`, but each outbound cluster has its own evict and report queues.
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

/** CAs are included only for functions that call API servers, because they are most of the environment. */
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

/** Configuration of a function: variables, and files beside its bundle for values too large for variables. */
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

/** Variable with the URL of a stage's queue, for senders. */
export const queueVariables = {
  evaluate: names.evaluateQueueUrl,
  evict: names.evictQueueUrl,
  report: names.reportQueueUrl,
} as const;

/** Maximum bytes of a file: it is passed as one command argument (131,072 on Linux, and base64 adds a third). */
export const fileLimit = 90_000;
