// Holds a pod that the API server failed to evict until its back-off ends; other pods are evicted first.
import { formatInstant } from '../model/time.ts';
import { admitted, type Gate, timesText } from './gate.ts';

export const failure: Gate = {
  name: 'failure',
  admits({ ledger: { failed } }, { now }) {
    if (!failed || failed.until <= now) return admitted;
    const { times, until } = failed;
    const message = `The API server failed to evict it ${timesText(times)}; it is tried again from ${formatInstant(until)}.`;
    return { kind: 'Kept', because: { reason: 'RetryingLater', message, until } };
  },
};
