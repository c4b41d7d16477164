// Holds every limiter while the cluster, or every cluster, is paused.
import { clusterPauseHold } from '../decide/hold.ts';
import { type Gate, none, unlimited } from './gate.ts';

export const pause: Gate = {
  name: 'pause',
  room: ({ pauses }) => {
    const hold = clusterPauseHold(pauses);
    return hold ? none(hold) : unlimited;
  },
};
