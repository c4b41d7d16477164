// A manifest that lacks thousands of known objects removes them a few hundred at a time.
import { expect, it } from 'vitest';
import { aClaim, nextVersion, upserted } from '../../support/objects.ts';
import { createWorld } from '../../support/world.ts';

const start = 1_800_000_000_000;

/** The largest number of concurrent transactions while so many claims are removed. */
async function mostFor(claims: number) {
  let [running, most] = [0, 0];
  const world = createWorld({
    start,
    around: async (name, call) => {
      if (name !== 'transact') return call();
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return call();
    },
  });
  for (let i = 0; i < claims; i += 200) {
    const some = Array.from({ length: 200 }, (_, at) => upserted(aClaim(`p${i + at}`, `gpu-${i + at}`)));
    await world.deliver({ stage: 'ingest', at: start, body: some });
  }
  most = 0;
  const resourceVersion = nextVersion();
  const manifest = { type: 'Manifest', kind: 'ResourceClaim', from: 0, to: 255, resourceVersion, entries: [] } as const;
  await world.deliver({ stage: 'ingest', at: start, body: [manifest] });
  const left = world.table.rows().filter(({ mirror, pk }) => pk.includes('#CLAIM#') && mirror === 'Live');
  expect(left).toEqual([]);
  return most;
}

it('removing 2,400 claims runs as many transactions at a time as removing 800', async () => {
  const [small, large] = [await mostFor(800), await mostFor(2400)];
  expect(large).toBe(small);
  expect(large).toBeLessThanOrEqual(300);
});
