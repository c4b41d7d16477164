// A rate or burst that is 0 or unreadable holds the limiter.
import { periodOf } from '../decide/bucket.ts';
import { type Gate, none, unlimited } from './gate.ts';

export const rate: Gate = {
  name: 'rate',
  room: (facts) =>
    periodOf(facts.rate) === undefined
      ? none({ reason: 'StandsStill', message: 'Its rate or burst is 0, or cannot be read.' })
      : unlimited,
};
