// Finds the rows of an earlier incarnation of a cluster: in fixed partitions, and in partitions that such a row names.
import { claimNamesOf } from '../decide/consume.ts';
import type { ClusterId } from '../model/identity.ts';
import { farFuture } from '../model/time.ts';
import type { Key, Row } from '../table.ts';
import { dueShards, kindOfDue, readDueEntries } from './dueIndex.ts';
import {
  allocationPartition,
  claimPartition,
  claimPodKey,
  claimPodsPartition,
  clusterBucketKey,
  heartbeatKey,
  limitersPartition,
  planPodKey,
  plansPartition,
  podPartition,
  recentPartition,
  refusedPartition,
  releaseKey,
  reportPartition,
  rulePartition,
  shards,
  slicePartition,
  standingPartition,
  stopKey,
  tallyPartition,
  wavePartition,
} from './keys.ts';
import { listPartition, otherListShards, partitionOf } from './listKeys.ts';
import { watermarkKey } from './mirrorKeys.ts';
import { modePlanKey, shadowPartition, surveyPartition } from './modeKeys.ts';
import { type PodRow, readPodRow } from './podRows.ts';
import { talliesOf } from './recentRows.ts';
import { intentPartition } from './recordKeys.ts';
import { tallyOf } from './recordRows.ts';
import type { State } from './state.ts';

const sharded = [
  intentPartition,
  podPartition,
  claimPartition,
  slicePartition,
  allocationPartition,
  standingPartition,
  recentPartition,
  shadowPartition,
];

const single = [
  limitersPartition,
  rulePartition,
  plansPartition,
  reportPartition,
  refusedPartition,
  wavePartition,
  surveyPartition,
  (cluster: ClusterId) => releaseKey(cluster, '').pk,
  (cluster: ClusterId) => watermarkKey(cluster, 'Pod', 0).pk,
  (cluster: ClusterId) => modePlanKey(cluster, '').pk,
  (cluster: ClusterId) => clusterBucketKey(cluster).pk,
  (cluster: ClusterId) => stopKey(cluster).pk,
  (cluster: ClusterId) => heartbeatKey(cluster).pk,
];

/** The parts of a removal, in order. Rows in the due index that no partition lists come last. */
export type Part = { readonly name: string } & ({ readonly pk: string } | { readonly dueShard: number });

/** Excludes records of evictions and other rows with a TTL, which expire by themselves. */
export function partsOf(cluster: ClusterId): readonly Part[] {
  const partitions = [
    ...sharded.flatMap((partition) => shards.map((shard) => partition(cluster, shard))),
    ...single.map((partition) => partition(cluster)),
  ];
  return [
    ...partitions.map((pk) => ({ name: pk.slice(cluster.length), pk })),
    ...dueShards.map((dueShard) => ({ name: `due ${dueShard}`, dueShard })),
  ];
}

export async function readPart(state: State, part: Part, limit: number): Promise<readonly Row[]> {
  if ('pk' in part) return (await state.table.query({ pk: part.pk, limit })).rows;
  const { rows } = await readDueEntries(state, { shard: part.dueShard, now: farFuture, limit });
  return rows.map(({ pk, sk }) => ({ pk, sk }));
}

/** Rows elsewhere that exist because of a row, and must be deleted before it. */
export interface Dependents {
  readonly keys: readonly Key[];
  readonly partitions: readonly string[];
}

export function dependentsOf({ cluster }: Pick<State, 'cluster'>, row: Row): Dependents {
  const none: Dependents = { keys: [], partitions: [] };
  switch (kindOfDue(row)) {
    case 'POD': {
      const pod = readPodRow(row, row.sk);
      return pod ? { ...none, keys: keysOfPod(cluster, pod) } : none;
    }
    case 'CLAIM':
      return { ...none, partitions: [claimPodsPartition(cluster, row.sk)] };
    case 'LIMITERS':
      return { ...none, partitions: [...listPartitions(cluster, row), tallyPartition(cluster, tallyOf(row.sk))] };
    case 'RECENT':
      // Revalidation may have found a slice taint whose limiter the table never had.
      return { ...none, partitions: talliesOf(row).map((tally) => tallyPartition(cluster, tally)) };
    case 'RULE':
      return typeof row.uid === 'string' ? { ...none, partitions: [tallyPartition(cluster, row.uid)] } : none;
    default:
      return none;
  }
}

function listPartitions(cluster: ClusterId, { sk: limiter, shards: spread }: Row): readonly string[] {
  const others = spread === undefined ? [] : otherListShards;
  return [0, ...others].map((shard) => listPartition(cluster, limiter, shard));
}

function keysOfPod(cluster: ClusterId, { key, object, listed, planned }: PodRow): readonly Key[] {
  const { namespace, name } = object;
  return [
    ...listed.map((one) => ({ pk: partitionOf(cluster, one), sk: one.sk })),
    ...planned.map(({ rule }) => planPodKey(cluster, rule, key)),
    ...claimNamesOf(object).map((claim) => claimPodKey(cluster, `${namespace}/${claim}`, name)),
  ];
}
