// A limit of 0 for the whole cluster lets nobody go; any other one is kept by the cluster's own bucket.
import { type Gate, none, unlimited } from './gate.ts';

export const clusterLimit: Gate = {
  name: 'clusterLimit',
  room: (facts) =>
    facts.clusterLimit === undefined || facts.clusterLimit > 0
      ? unlimited
      : none({ reason: 'StandsStill', message: 'maxEvictionsPerSecond of the whole cluster is 0.' }),
};
