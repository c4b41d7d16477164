// Warns that resourceVersions went back: etcd was restored from a backup, and an operator must start a new incarnation.
import { newIncarnationCommand, type ResourceVersion } from '../../model/identity.ts';
import type { ObjectKind } from '../../model/projection.ts';
import type { State } from '../../state/state.ts';
import type { StepDependencies } from '../../steps/step.ts';

/** Until then no pod is deleted by mistake: each eviction is decided by what the API server shows at that moment. */
export function warnOfRestore(
  deps: StepDependencies,
  { cluster }: State,
  of: { readonly kinds: readonly ObjectKind[]; readonly resourceVersion?: ResourceVersion },
): void {
  deps.metrics.add('RevisionWentBack', 1, cluster);
  deps.log.warn('resourceVersions went back', { cluster, ...of, remedy: newIncarnationCommand });
}
