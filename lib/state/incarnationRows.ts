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
import { absent, queryAll, type Table } from '../table.ts';
import { firstReleaseHeartbeatKey, incarnationKey, incarnationPartition } from './keys.ts';
import { staleAfter } from './liveness.ts';
import type { State } from './state.ts';

export interface HeardIncarnation {
  readonly incarnation: Incarnation;
  /** When a heartbeat of it arrived that was sent just before; 0 where all that arrived were old, or of a clock that is far off. */
  readonly heardAt: Instant;
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
  return rows.map((row) => ({ incarnation: row.sk, heardAt: Number(row.heardAt ?? 0) }));
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
    await table.write({ kind: 'Update', key, change: { set: { heardAt: now } } });
  else if (!mine) await table.write({ kind: 'Update', key, change: { set: { heardAt: 0 } }, when: absent('heardAt') });
  return known.filter((one) => one.incarnation !== incarnation);
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

/** For everything that reads a cluster by its name. Throws OldTableError. */
export async function currentState(table: Table, cluster: ClusterName): Promise<State> {
  return { table, cluster: currentOf(cluster, await readIncarnations(table, cluster)) };
}
