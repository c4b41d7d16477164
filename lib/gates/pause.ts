// A pause of the cluster, or of everything.
import { type Gate, none, type Stop, unlimited } from './gate.ts';

export const pause: Gate = {
  name: 'pause',
  room: ({ pauses }) =>
    pauses.length > 0 ? none({ reason: 'Paused', message: `Paused: ${pauses.map(describe).join('; ')}.` }) : unlimited,
};

function describe({ name, why, of }: Stop): string {
  return `${of === 'everything' ? 'everything: ' : ''}${name}${why === '' ? '' : ` (${why})`}`;
}
