// The grace period of an eviction: how long a pod's containers may run after the DELETE.
import type { Pod } from '../model/objects.ts';
import type { EvictionPolicy } from '../model/policy.ts';

/**
 * `gracePeriodSeconds` of DeleteOptions; `undefined` leaves the pod's own period. A policy can only shorten a known period: for a pod whose
 * own period is unknown it is `undefined`. To the API server 0 means: do not wait for the kubelet.
 */
export function graceFor(
  { terminationGracePeriodSeconds: own }: Pick<Pod, 'terminationGracePeriodSeconds'>,
  policy: Pick<EvictionPolicy, 'gracePeriodSeconds'> | undefined,
): number | undefined {
  const asked = policy?.gracePeriodSeconds;
  // Stryker disable next-line ConditionalExpression,LogicalOperator: every comparison with undefined is false
  return asked !== undefined && own !== undefined && asked < own ? asked : undefined;
}
