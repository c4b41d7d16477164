// Holds a pod whose eviction a PodDisruptionBudget refused until its back-off ends; the back-off grows with each refusal.
import { formatInstant } from '../model/time.ts';
import { admitted, type Gate, timesText } from './gate.ts';

export const budget: Gate = {
  name: 'budget',
  admits({ ledger: { blocked } }, { now }) {
    if (!blocked || blocked.until <= now) return admitted;
    const { times, until } = blocked;
    const message = `Kept ${timesText(times)} by disruption budgets, tried again from ${formatInstant(until)}.`;
    return { kind: 'Kept', because: { reason: 'BudgetExhausted', message, until } };
  },
};
