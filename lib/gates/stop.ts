// Holds every limiter while an EvictionStop object exists in the cluster.
import { stoppedText } from '../model/stop.ts';
import { type Gate, none, unlimited } from './gate.ts';

export const stop: Gate = {
  name: 'stop',
  room: (facts) =>
    facts.stop === undefined ? unlimited : none({ reason: 'Stopped', message: stoppedText(facts.stop) }),
};
