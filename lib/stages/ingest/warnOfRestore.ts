// Says that the versions of a cluster went back: etcd was restored from a backup, and a person has to open an empty mirror.
import { newIncarnationCommand, type ResourceVersion } from '../../model/identity.ts';
import type { ObjectKind } from '../../model/projection.ts';
import type { State } from '../../state/state.ts';
import type { StepDependencies } from '../../steps/step.ts';

/** Nothing is lost meanwhile that could delete a pod: only what the API server says at the moment of an eviction does. */
export function warnOfRestore(
  deps: StepDependencies,
  { cluster }: State,
  of: { readonly kinds: readonly ObjectKind[]; readonly resourceVersion?: ResourceVersion },
): void {
  deps.metrics.add('RevisionWentBack', 1, cluster);
  deps.log.warn('resourceVersions went back', { cluster, ...of, remedy: newIncarnationCommand });
}
