// The incarnations that used a cluster's name, and which of them is the current one.
import {
  type ClusterId,
  type ClusterName,
  clusterIdOf,
  clusterNameOf,
  type Incarnation,
  incarnationOf,
} from '../model/identity.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import { absent, compare, queryAll, type Table } from '../table.ts';
import { firstReleaseHeartbeatKey, incarnationKey, incarnationPartition } from './keys.ts';
import { staleAfter } from './liveness.ts';
import type { State } from './state.ts';

export interface HeardIncarnation {
  readonly incarnation: Incarnation;
  /** When a fresh heartbeat of it last arrived; 0 where all heartbeats were old or their clock was far off. */
  readonly heardAt: Instant;
  /** When its first message arrived. */
  readonly notedAt: Instant;
  /** Progress of the removal of its rows, once another incarnation has replaced it. */
  readonly removal?: Removal;
}

/** A removal is repeated daily, as long as redriven dead letters may write rows again. */
export interface Removal {
  /** The next part to remove; absent after the last one. */
  readonly next?: string;
  readonly endedAt?: Instant;
  /** How often the removal was completed. */
  readonly times: number;
}

/** `heardAt` is rewritten when it is this old. */
const noteEvery: Milliseconds = 60_000;

const clashWithin: Milliseconds = 5 * 60_000;

/** The table has rows of release 0.1, which belong to no incarnation. */
export class OldTableError extends Error {
  override readonly name = 'OldTableError';
}

/** In ascending order. Throws OldTableError where release 0.1 has written rows of this cluster. */
export async function readIncarnations(table: Table, cluster: ClusterName): Promise<readonly HeardIncarnation[]> {
  const rows = await queryAll(table, { pk: incarnationPartition(cluster) });
  if (rows.length === 0 && (await table.get(firstReleaseHeartbeatKey(cluster))))
    throw new OldTableError(
      `the table has rows of release 0.1 for cluster ${cluster}, which this release does not read: deploy a stack with a table of its own, under another stack name`,
    );
  return rows.map((row) => ({
    incarnation: row.sk,
    heardAt: Number(row.heardAt ?? 0),
    notedAt: Number(row.notedAt ?? 0),
    ...(row.removal === undefined ? {} : { removal: row.removal as Removal }),
  }));
}

/** Call before any row of it is written: its heartbeats may be lost, and unknown incarnations are never removed. Throws OldTableError. */
export async function registerIncarnation({ table, cluster }: State, now: Instant): Promise<void> {
  const [name, incarnation] = [clusterNameOf(cluster), incarnationOf(cluster)];
  const known = await readIncarnations(table, name);
  if (known.some((one) => one.incarnation === incarnation)) return;
  const set = { heardAt: 0, notedAt: now };
  const key = incarnationKey(name, incarnation);
  await table.write({ kind: 'Update', key, change: { set }, when: absent('heardAt') });
}

/** Notes a heartbeat that was sent `at`, and returns the other incarnations of the same name. */
export async function noteIncarnation(
  { table, cluster }: State,
  { at, now }: { readonly at: Instant; readonly now: Instant },
): Promise<readonly HeardIncarnation[]> {
  const [name, incarnation] = [clusterNameOf(cluster), incarnationOf(cluster)];
  const known = await readIncarnations(table, name);
  const mine = known.find((one) => one.incarnation === incarnation);
  const isFresh = Math.abs(now - at) < staleAfter;
  const key = incarnationKey(name, incarnation);
  if (isFresh && now - (mine?.heardAt ?? 0) >= noteEvery)
    await table.write({ kind: 'Update', key, change: { set: { heardAt: now }, remove: ['removal', 'ttl'] } });
  return known.filter((one) => one.incarnation !== incarnation);
}

/** `Lost`: a heartbeat arrived since `heardAt` was read, so the rows must stay. */
export async function noteRemoval(
  { table, cluster }: State,
  { heardAt }: HeardIncarnation,
  change: { readonly removal: Removal; readonly ttl?: number },
): Promise<'Written' | 'Lost'> {
  const key = incarnationKey(clusterNameOf(cluster), incarnationOf(cluster));
  const when = compare('heardAt', '=', heardAt);
  return (await table.write({ kind: 'Update', key, change: { set: { ...change } }, when })).kind;
}

/** Whether another cluster currently uses the same name; after a restore of etcd it is the same cluster (same UID). */
export function isAnotherCluster(
  { cluster }: State,
  { incarnation, heardAt }: HeardIncarnation,
  now: Instant,
): boolean {
  const uidOf = (text: Incarnation) => text.split('.', 1)[0];
  return uidOf(incarnation) !== uidOf(incarnationOf(cluster)) && now - heardAt < clashWithin;
}

/** The incarnation with the latest heartbeat. Without any, the result has no incarnation, and so no rows. */
export function currentOf(cluster: ClusterName, heard: readonly HeardIncarnation[]): ClusterId {
  const [last] = heard.toSorted((a, b) => b.heardAt - a.heardAt);
  return clusterIdOf(cluster, last?.incarnation);
}

/** The given incarnation, then all others by latest heartbeat: records of evictions outlive an incarnation. */
export async function statesOf({ table, cluster }: State): Promise<readonly State[]> {
  const name = clusterNameOf(cluster);
  const heard = (await readIncarnations(table, name)).toSorted((a, b) => b.heardAt - a.heardAt);
  const all = [cluster, ...heard.map(({ incarnation }) => clusterIdOf(name, incarnation))];
  return [...new Set(all)].map((one) => ({ table, cluster: one }));
}

/** The state of a cluster's current incarnation, by name. Throws OldTableError. */
export async function currentState(table: Table, cluster: ClusterName): Promise<State> {
  return { table, cluster: currentOf(cluster, await readIncarnations(table, cluster)) };
}
