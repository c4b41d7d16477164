// Holds a pod until its due time, set by tolerationSeconds, a deadline of its mode, a minimum age or a suspected observer failure.
import { farFuture, formatInstant } from '../model/time.ts';
import { admitted, type Gate } from './gate.ts';

export const dueTime: Gate = {
  name: 'dueTime',
  admits({ ledger }, { limiter, now }) {
    const listing = ledger.listings.find((one) => one.limiter === limiter);
    if (listing && listing.dueAt <= now) return admitted;
    const dueAt = listing?.dueAt ?? farFuture;
    const message =
      dueAt < farFuture ? `It is due at ${formatInstant(dueAt)}.` : 'It is not due until a person changes something.';
    return { kind: 'Kept', because: { reason: 'NotDue', message, ...(dueAt < farFuture ? { until: dueAt } : {}) } };
  },
};
