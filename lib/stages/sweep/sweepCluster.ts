// Sweeps one cluster by name: sweeps its current incarnation, and removes the rows of earlier ones.
import type { ClusterName } from '../../model/identity.ts';
import { currentOf, readIncarnations } from '../../state/incarnationRows.ts';
import type { StepDependencies } from '../../steps/step.ts';
import { removeEarlier } from './removeEarlier.ts';
import { sweep } from './sweep.ts';

export async function sweepCluster(deps: StepDependencies, name: ClusterName): Promise<void> {
  const heard = await readIncarnations(deps.table, name);
  // No watcher has written yet: rows for an id without an incarnation would never be removed.
  if (heard.length === 0) return;
  await sweep(deps, currentOf(name, heard));
  await removeEarlier(deps, name, heard);
}
