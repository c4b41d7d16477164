// Pauses that operators set apart from rules: of one cluster, or of all clusters. Pauses of different names add up.
import type { ClusterId, ClusterName } from '../model/identity.ts';
import type { Pause } from '../model/pause.ts';
import { absent, queryAll } from '../table.ts';
import { everyCluster, pauseKey, pausePartition } from './keys.ts';
import type { State } from './state.ts';

/** A pause belongs to a cluster's name, whatever its incarnation. */
type Named = Pick<State, 'table'> & { readonly cluster: ClusterId | ClusterName };
type Scope = Pick<State, 'table'> & { readonly cluster: Named['cluster'] | undefined };

/** A pause of the same name stays as it is: `Exists`. `cluster` undefined: all clusters. */
export async function setPause(
  scope: Scope,
  pause: Pick<Pause, 'name' | 'why' | 'since' | 'by'>,
): Promise<'Set' | 'Exists'> {
  const { name, ...rest } = pause;
  const key = pauseKey(scope.cluster ?? everyCluster, name);
  const change = { set: rest };
  const written = await scope.table.write({ kind: 'Update', key, change, when: absent('since') });
  return written.kind === 'Written' ? 'Set' : 'Exists';
}

/** Does nothing where no such pause exists. */
export async function removePause(scope: Scope, name: string): Promise<void> {
  await scope.table.write({ kind: 'Delete', key: pauseKey(scope.cluster ?? everyCluster, name) });
}

/** The pauses of this cluster, then those of all clusters. */
export async function readPauses(state: Named): Promise<readonly Pause[]> {
  const read = async (cluster: Named['cluster'], of: Pause['of']): Promise<readonly Pause[]> => {
    const rows = await queryAll(state.table, { pk: pausePartition(cluster) });
    return rows.map((row) => ({
      name: row.sk,
      why: String(row.why ?? ''),
      since: Number(row.since ?? 0),
      ...(typeof row.by === 'string' ? { by: row.by } : {}),
      of,
    }));
  };
  return (await Promise.all([read(state.cluster, 'cluster'), read(everyCluster, 'everything')])).flat();
}
