// For how long the containers of a pod may still run once it is asked to go.
import type { Pod } from '../model/objects.ts';
import type { EvictionPolicy } from '../model/policy.ts';

/**
 * `gracePeriodSeconds` of DeleteOptions; `undefined` where the pod's own period applies. A policy shortens it and never makes it
 * longer; of a pod whose own is not known nothing is asked. The API server takes 0 for "do not wait for the kubelet".
 */
export function graceFor(
  { terminationGracePeriodSeconds: own }: Pick<Pod, 'terminationGracePeriodSeconds'>,
  policy: Pick<EvictionPolicy, 'gracePeriodSeconds'> | undefined,
): number | undefined {
  const asked = policy?.gracePeriodSeconds;
  // Stryker disable next-line ConditionalExpression,LogicalOperator: what is absent is less than nothing and more than nothing
  return asked !== undefined && own !== undefined && asked < own ? asked : undefined;
}
