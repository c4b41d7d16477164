// The EvictionStops that stages last saw, as known to readers that have only the table.
import { describe, expect, it } from 'vitest';
import { recentWrite } from '../../lib/state/recentRows.ts';
import { noteStops, readStandingStops } from '../../lib/state/stopRows.ts';
import { createInMemoryTable } from '../support/fakes/table.ts';

const seen = 1_800_000_000_000;
const pod = { namespace: 'team-a', name: 'trainer', uid: 'pod-1' };

async function noted() {
  const state = { table: createInMemoryTable(), cluster: 'prod@i' } as const;
  await noteStops(state, {
    why: 'stopped by EvictionStop incident',
    stops: [{ name: 'incident', uid: 'u' }],
    now: seen,
  });
  const evictAt = (now: number) =>
    state.table.write(recentWrite(state, pod, { ledger: { because: [] }, outcome: 'Evicted', now, days: 1 }));
  return { state, evictAt };
}

describe('EvictionStops that stages noted', () => {
  it('a noted EvictionStop is shown for three minutes while no pod is evicted', async () => {
    const { state } = await noted();
    expect(await readStandingStops(state, seen + 180_000)).toMatchObject({ stops: [{ name: 'incident' }] });
    expect(await readStandingStops(state, seen + 180_001)).toBeUndefined();
  });

  it('a noted EvictionStop is no longer shown once a pod is evicted more than a second after it', async () => {
    const { state, evictAt } = await noted();
    await evictAt(seen + 1000);
    expect(await readStandingStops(state, seen + 5000)).toBeDefined();
    await evictAt(seen + 1001);
    expect(await readStandingStops(state, seen + 5000)).toBeUndefined();
  });
});
