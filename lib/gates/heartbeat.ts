// Holds every limiter while the watcher of the cluster is silent, because the table may be out of date.
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
