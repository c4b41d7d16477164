// The environment that functions are given, in the names and forms of the contract.
import { type ClusterConnection, environmentNames as names, type Stage } from '../lib/contract.ts';
import type { ClusterProps, SluiceProps } from './props.ts';

/** Bytes of all variables of a function together (AWS Lambda quota). */
export const environmentLimit = 4096;

/** What table name, queue URLs and settings may take of it. */
export const environmentReserve = 1024;

/** `<stack>-<stage>`, and for ingest `<stack>-ingest-<cluster>`: a cluster's identity comes from its queue. */
export function queueNamesOf(stackName: string, stage: Stage, clusters: readonly ClusterProps[]) {
  if (stage !== 'ingest') return { '': `${stackName}-${stage}` };
  return Object.fromEntries(clusters.map(({ name }) => [name, `${stackName}-ingest-${name}`]));
}

/** Only functions that call an API server need the certificate of its authority; it is the bulk of the environment. */
export function connectionsOf(clusters: readonly ClusterProps[], callsClusters: boolean): string {
  const connections = clusters.map(({ name, endpoint, certificateAuthority, auth, native }) => {
    const authority = callsClusters && certificateAuthority !== undefined ? { certificateAuthority } : {};
    return [name, { endpoint, ...authority, auth, native } satisfies ClusterConnection] as const;
  });
  return JSON.stringify(Object.fromEntries(connections));
}

/** `{"<queue name>": "<cluster>"}` */
export function ingestQueuesOf(stackName: string, clusters: readonly ClusterProps[]): string {
  const byCluster = queueNamesOf(stackName, 'ingest', clusters);
  return JSON.stringify(Object.fromEntries(Object.entries(byCluster).map(([cluster, queue]) => [queue, cluster])));
}

export function environmentOf(
  props: SluiceProps,
  of: { tableName: string; callsClusters: boolean },
): Record<string, string> {
  return {
    [names.table]: of.tableName,
    [names.clusters]: connectionsOf(props.clusters, of.callsClusters),
    ...(props.settings ? { [names.settings]: JSON.stringify(props.settings) } : {}),
  };
}

/** Under which variable a stage's queue is known to those who send to it. */
export const queueVariables = {
  reconcile: names.reconcileQueueUrl,
  pace: names.paceQueueUrl,
  evict: names.evictQueueUrl,
  report: names.reportQueueUrl,
} as const;
