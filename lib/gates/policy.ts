// Holds a limiter whose policy is unusable, conflicts with another policy, or was deleted while pods were pending under it.
import { policyProblem } from '../decide/policy.ts';
import { type Gate, none, unlimited } from './gate.ts';

export const policy: Gate = {
  name: 'policy',
  room(facts) {
    const hold = facts.policy && policyProblem(facts.policy);
    if (hold) return none(hold);
    if (facts.policyGone === undefined) return unlimited;
    const message = `EvictionPolicy ${facts.policyGone} was deleted while pods waited under it: apply one that selects the taint.`;
    return none({ reason: 'PolicyGone', message });
  },
};
