// A cluster limit of 0 stops all evictions; the bucket of the cluster enforces any other limit.
import { type Gate, none, unlimited } from './gate.ts';

export const clusterLimit: Gate = {
  name: 'clusterLimit',
  room: (facts) =>
    facts.clusterLimit === undefined || facts.clusterLimit > 0
      ? unlimited
      : none({ reason: 'StandsStill', message: 'maxEvictionsPerSecond of the whole cluster is 0.' }),
};
