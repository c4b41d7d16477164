// The sweep of one cluster by its name: its current incarnation is swept.
import type { ClusterName } from '../../model/identity.ts';
import { currentState } from '../../state/incarnationRows.ts';
import type { StepDependencies } from '../../steps/step.ts';
import { sweep } from './sweep.ts';

export async function sweepCluster(deps: StepDependencies, name: ClusterName): Promise<void> {
  const { cluster } = await currentState(deps.table, name);
  await sweep(deps, cluster);
}
