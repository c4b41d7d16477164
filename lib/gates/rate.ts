// A rate or burst that is 0 or unreadable holds the limiter.
import { periodOf } from '../decide/bucket.ts';
import { rateHold } from '../decide/rate.ts';
import { isOfRule } from '../model/rule.ts';
import { type Gate, none, unlimited } from './gate.ts';

export const rate: Gate = {
  name: 'rate',
  room: ({ limiter, rule, rate: { perSecond, burst } }) => {
    if (periodOf({ perSecond, burst }) !== undefined) return unlimited;
    if (!rule && isOfRule(limiter)) return none({ reason: 'StandsStill', message: 'Its rule does not exist.' });
    const zero = perSecond > 0 ? 'Its burst is 0.' : 'Its rate is 0, or cannot be read.';
    return none((rule && rateHold(rule)) ?? { reason: 'StandsStill', message: zero });
  },
};
