// A limit of 0 for the whole cluster stops all evictions; any other one is kept by the bucket of the cluster.
import { type Gate, none, unlimited } from './gate.ts';

export const clusterLimit: Gate = {
  name: 'clusterLimit',
  room: (facts) =>
    facts.clusterLimit === undefined || facts.clusterLimit > 0
      ? unlimited
      : none({ reason: 'StandsStill', message: 'maxEvictionsPerSecond of the whole cluster is 0.' }),
};
