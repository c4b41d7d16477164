// An EvictionStop object in the cluster stops everything there.
import { type Gate, none, unlimited } from './gate.ts';

export const stop: Gate = {
  name: 'stop',
  room: (facts) =>
    facts.stop === undefined
      ? unlimited
      : none({ reason: 'Stopped', message: `No pod of this cluster is evicted: ${facts.stop}.` }),
};
