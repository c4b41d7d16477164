// What needs a person's approval waits for it.
import { type Gate, none, unlimited } from './gate.ts';

export const approval: Gate = {
  name: 'approval',
  room: (facts) => (facts.approval ? none(facts.approval) : unlimited),
};
