// Admits only the canary pods of a taint until its canary has passed.
import { canaryHold } from '../decide/canary.ts';
import { type Gate, none, unlimited } from './gate.ts';

export const canary: Gate = {
  name: 'canary',
  room(facts) {
    if (!facts.canary) return unlimited;
    const { policy, state, waiting } = facts.canary;
    if (state.kind === 'Running' && state.free.length > 0) return { most: state.free.length };
    const hold = canaryHold(policy, state, waiting) ?? {
      reason: 'Canary' as const,
      message: `Canary of EvictionPolicy ${policy.name} is under way.`,
    };
    return none({ ...hold, ...(state.kind === 'Holding' ? { until: state.until } : {}) });
  },
};
