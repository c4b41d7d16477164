// Holds a limiter whose rule or policy is paused.
import { pauseHold } from '../decide/hold.ts';
import { policyPause } from '../decide/policy.ts';
import { type Gate, none, unlimited } from './gate.ts';

export const pausedRule: Gate = {
  name: 'pausedRule',
  room({ rule, policy }) {
    const own = rule && pauseHold(rule);
    if (own) return none({ ...own, of: 'Rule' });
    const hold = policy && policyPause(policy);
    return hold ? none(hold) : unlimited;
  },
};
