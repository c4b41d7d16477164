// Which incarnations of a cluster were heard under its name, and which of them readers and the sweep take for the cluster.
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
  /** When a heartbeat of it arrived that was sent just before; 0 where all that arrived were old, or of a clock that is far off. */
  readonly heardAt: Instant;
  /** When anything of it arrived for the first time. */
  readonly notedAt: Instant;
  /** How far its rows are removed, where another one has taken its place. */
  readonly removal?: Removal;
}

/** It begins again every day for as long as dead letters may bring rows back. */
export interface Removal {
  /** Which part of the rows is next; absent where it came to its end. */
  readonly next?: string;
  readonly endedAt?: Instant;
  /** How often it came to its end. */
  readonly times: number;
}

/** A row is written again when it is this old. */
const noteEvery: Milliseconds = 60_000;

const clashWithin: Milliseconds = 5 * 60_000;

/** For a table of release 0.1, whose rows belong to no incarnation. */
export class OldTableError extends Error {
  override readonly name = 'OldTableError';
}

/** Ascending. Throws OldTableError where release 0.1 has written of this cluster. */
export async function readIncarnations(table: Table, cluster: ClusterName): Promise<readonly HeardIncarnation[]> {
  const rows = await queryAll(table, { pk: incarnationPartition(cluster) });
  if (rows.length === 0 && (await table.get(firstReleaseHeartbeatKey(cluster))))
    throw new OldTableError(
      `the table has rows of release 0.1 for cluster ${cluster}, which this release does not read: deploy a stack with a table of its own, under another stack name (docs/reference/incarnations.md)`,
    );
  return rows.map((row) => ({
    incarnation: row.sk,
    heardAt: Number(row.heardAt ?? 0),
    notedAt: Number(row.notedAt ?? 0),
    ...(row.removal === undefined ? {} : { removal: row.removal as Removal }),
  }));
}

/** Before any row of it is written: its heartbeats may all be lost, and what is not known here is never removed. Throws OldTableError. */
export async function registerIncarnation({ table, cluster }: State, now: Instant): Promise<void> {
  const [name, incarnation] = [clusterNameOf(cluster), incarnationOf(cluster)];
  const known = await readIncarnations(table, name);
  if (known.some((one) => one.incarnation === incarnation)) return;
  const set = { heardAt: 0, notedAt: now };
  const key = incarnationKey(name, incarnation);
  await table.write({ kind: 'Update', key, change: { set }, when: absent('heardAt') });
}

/** Notes a heartbeat that was sent `at`, and answers the other incarnations under the same name. */
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

/** `Lost`: it was heard since `heard` was read, and its rows are no longer to be removed. */
export async function noteRemoval(
  { table, cluster }: State,
  { heardAt }: HeardIncarnation,
  change: { readonly removal: Removal; readonly ttl?: number },
): Promise<'Written' | 'Lost'> {
  const key = incarnationKey(clusterNameOf(cluster), incarnationOf(cluster));
  const when = compare('heardAt', '=', heardAt);
  return (await table.write({ kind: 'Update', key, change: { set: { ...change } }, when })).kind;
}

/** Whether another cluster speaks under the same name at this time; after a restore of etcd it is the same cluster. */
export function isAnotherCluster(
  { cluster }: State,
  { incarnation, heardAt }: HeardIncarnation,
  now: Instant,
): boolean {
  const uidOf = (text: Incarnation) => text.split('.', 1)[0];
  return uidOf(incarnation) !== uidOf(incarnationOf(cluster)) && now - heardAt < clashWithin;
}

/** The one that was heard last. Without any the answer has no incarnation, and so no rows. */
export function currentOf(cluster: ClusterName, heard: readonly HeardIncarnation[]): ClusterId {
  const [last] = heard.toSorted((a, b) => b.heardAt - a.heardAt);
  return clusterIdOf(cluster, last?.incarnation);
}

/** The given one, then all others that its cluster had, those heard last first: records of evictions outlive an incarnation. */
export async function statesOf({ table, cluster }: State): Promise<readonly State[]> {
  const name = clusterNameOf(cluster);
  const heard = (await readIncarnations(table, name)).toSorted((a, b) => b.heardAt - a.heardAt);
  const all = [cluster, ...heard.map(({ incarnation }) => clusterIdOf(name, incarnation))];
  return [...new Set(all)].map((one) => ({ table, cluster: one }));
}

/** For everything that reads a cluster by its name. Throws OldTableError. */
export async function currentState(table: Table, cluster: ClusterName): Promise<State> {
  return { table, cluster: currentOf(cluster, await readIncarnations(table, cluster)) };
}
