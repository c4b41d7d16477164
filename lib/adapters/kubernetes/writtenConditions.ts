// Conditions as the API server takes them.
import type { RuleCondition } from '../../model/status.ts';
import { formatInstant } from '../../model/time.ts';

/** The fields of metav1.Condition alone: the API server refuses the whole request for any other. */
export function writtenConditions(conditions: readonly RuleCondition[]): readonly object[] {
  return conditions.map(({ type, status, reason, message, observedGeneration, lastTransitionTime }) => ({
    ...{ type, status, reason, message, observedGeneration },
    lastTransitionTime: formatInstant(lastTransitionTime),
  }));
}
