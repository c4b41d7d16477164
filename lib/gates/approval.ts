// Holds a limiter whose rule or taint needs an approval that it does not have yet.
import { type Gate, none, unlimited } from './gate.ts';

export const approval: Gate = {
  name: 'approval',
  room: (facts) => (facts.approval ? none(facts.approval) : unlimited),
};
