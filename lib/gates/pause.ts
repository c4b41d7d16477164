// Holds every limiter while the cluster, or every cluster, is paused.
import { pausedBy } from '../model/hold.ts';
import { type Gate, none, type Stop, unlimited } from './gate.ts';

export const pause: Gate = {
  name: 'pause',
  room: ({ pauses }) =>
    pauses.length > 0
      ? none({ reason: 'Paused', message: `${pausedBy}${pauses.map(describe).join('; ')}.` })
      : unlimited,
};

function describe({ name, why, of }: Stop): string {
  return `${name}${why === '' ? '' : ` (${why})`}${of === 'everything' ? ', in every cluster' : ''}`;
}
