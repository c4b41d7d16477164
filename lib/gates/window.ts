// Holds a limiter outside the windows of its policy.
import { windowHold } from '../decide/policy.ts';
import { type Gate, none, unlimited } from './gate.ts';

export const window: Gate = {
  name: 'window',
  room({ policy, now }) {
    const hold = policy && windowHold(policy, now);
    return hold ? none(hold) : unlimited;
  },
};
