// Holds every limiter whose taints Sluice does not own (mode `own`) in this cluster.
import { sourcesOfLimiter } from '../model/ownership.ts';
import { type Gate, none, unlimited } from './gate.ts';

export const mode: Gate = {
  name: 'mode',
  room({ limiter, modes }) {
    const sources = sourcesOfLimiter(limiter);
    if (sources.some((source) => modes[source] === 'own')) return unlimited;
    const said = sources.map((source) => `${source} ${modes[source]}`).join(', ');
    return none({ reason: 'NotOwned', message: `Sluice does not evict for these taints in this cluster: ${said}.` });
  },
};
