// Nothing is evicted while the watcher of the cluster is silent: the table may describe a cluster that has moved on.
import { type Gate, none, unlimited } from './gate.ts';

export const heartbeat: Gate = {
  name: 'heartbeat',
  room: ({ isWatched }) =>
    isWatched
      ? unlimited
      : none({
          reason: 'WatcherSilent',
          message: 'The watcher of this cluster has been silent for 90 seconds or more.',
        }),
};
