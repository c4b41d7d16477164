// The part of a snapshot that Sluice acts on: beside an active in-tree controller only the rules of its own kind.
import type { ClusterName } from '../model/identity.ts';
import type { AnyRule } from '../model/rule.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { StepDependencies } from './step.ts';

/** Never two owners: where native rules and slice taints are only watched, another controller evicts for them. */
export function ownedSnapshot(
  deps: Pick<StepDependencies, 'modeOf'>,
  cluster: ClusterName,
  snapshot: Snapshot,
): Snapshot {
  if (deps.modeOf(cluster) === 'own') return snapshot;
  return {
    ...snapshot,
    rules: snapshot.rules.filter(({ kind }) => owns(deps, cluster, kind)),
    nativeSlices: 'Watched',
  };
}

/** Whether Sluice evicts for rules of this kind, and says so on them. */
export function owns(deps: Pick<StepDependencies, 'modeOf'>, cluster: ClusterName, kind: AnyRule['kind']): boolean {
  const mode = deps.modeOf(cluster);
  return mode === 'own' || (mode === 'shadow' && kind === 'PacedTaintRule');
}
