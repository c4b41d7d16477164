// Pauses that people set beside the rules: of one cluster, or of everything. They stack by name.
import type { ClusterId, ClusterName } from '../model/identity.ts';
import type { Instant } from '../model/time.ts';
import { queryAll } from '../table.ts';
import { everyCluster, pauseKey, pausePartition } from './keys.ts';
import type { State } from './state.ts';

export interface Pause {
  readonly name: string;
  readonly why: string;
  readonly since: Instant;
  /** Who asked for it, as the command line saw them; absent in rows of older releases. */
  readonly by?: string;
  readonly of: 'cluster' | 'everything';
}

/** Pauses are of a cluster's name, whatever its incarnation. */
type Named = Pick<State, 'table'> & { readonly cluster: ClusterId | ClusterName };
type Scope = Pick<State, 'table'> & { readonly cluster: Named['cluster'] | undefined };

/** The same name again replaces what was said before. `cluster` undefined: everything. */
export async function setPause(scope: Scope, pause: Pick<Pause, 'name' | 'why' | 'since' | 'by'>): Promise<void> {
  const { name, ...rest } = pause;
  const key = pauseKey(scope.cluster ?? everyCluster, name);
  await scope.table.write({ kind: 'Update', key, change: { set: rest } });
}

/** Nothing happens where there is no such pause. */
export async function removePause(scope: Scope, name: string): Promise<void> {
  await scope.table.write({ kind: 'Delete', key: pauseKey(scope.cluster ?? everyCluster, name) });
}

/** Of this cluster, then of everything. */
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

/** `audit (until Monday); incident, in every cluster`, for people. */
export function describePauses(pauses: readonly Pause[]): string {
  return pauses
    .map(
      ({ name, why, of }) =>
        `${name}${why === '' ? '' : ` (${why})`}${of === 'everything' ? ', in every cluster' : ''}`,
    )
    .join('; ');
}
