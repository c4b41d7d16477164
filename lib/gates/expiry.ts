// A rule that has expired, or whose expiry cannot be read, evicts no pod.
import { expiryHold } from '../decide/hold.ts';
import { type Gate, none, unlimited } from './gate.ts';

export const expiry: Gate = {
  name: 'expiry',
  room({ rule, now }) {
    const hold = rule && expiryHold(rule, now);
    return hold ? none({ ...hold, of: 'Rule' }) : unlimited;
  },
};
