// Limits evictions in flight of pods that use tainted devices of one pool of one driver.
import { poolKey } from '../model/identity.ts';
import { inFlightGate } from './inFlight.ts';

export const maxPerPool = inFlightGate({
  name: 'maxPerPool',
  scopesOf({ ledger }) {
    const pools = new Set(ledger.because.map(({ device }) => poolKey(device.driver, device.pool)));
    return [...pools].sort().map((of) => ({ kind: 'Pool', of }));
  },
  podsIn: (census, { of }) => census.byPool.get(of),
  words: ({ of }) => `pool ${of.replace('|', '/')}`,
});
