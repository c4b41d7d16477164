// Pauses that operators set apart from rules: of one cluster, or of all clusters. Pauses of different names add up.
import type { ClusterId, ClusterName } from '../model/identity.ts';
import type { Instant } from '../model/time.ts';
import { queryAll } from '../table.ts';
import { everyCluster, pauseKey, pausePartition } from './keys.ts';
import type { State } from './state.ts';

export interface Pause {
  readonly name: string;
  readonly why: string;
  readonly since: Instant;
  /** The caller as the command line saw it; absent in rows of older releases. */
  readonly by?: string;
  readonly of: 'cluster' | 'everything';
}

/** A pause belongs to a cluster's name, whatever its incarnation. */
type Named = Pick<State, 'table'> & { readonly cluster: ClusterId | ClusterName };
type Scope = Pick<State, 'table'> & { readonly cluster: Named['cluster'] | undefined };

/** Replaces a pause of the same name. `cluster` undefined: all clusters. */
export async function setPause(scope: Scope, pause: Pick<Pause, 'name' | 'why' | 'since' | 'by'>): Promise<void> {
  const { name, ...rest } = pause;
  const key = pauseKey(scope.cluster ?? everyCluster, name);
  await scope.table.write({ kind: 'Update', key, change: { set: rest } });
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

/** For display: `audit (until Monday); incident, in every cluster`. */
export function describePauses(pauses: readonly Pause[]): string {
  return pauses
    .map(
      ({ name, why, of }) =>
        `${name}${why === '' ? '' : ` (${why})`}${of === 'everything' ? ', in every cluster' : ''}`,
    )
    .join('; ');
}
