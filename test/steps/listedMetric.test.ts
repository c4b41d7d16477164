// PodsListed counts pods, whatever happens to their evictions.
import { expect, it } from 'vitest';
import { aClaim, aHeartbeat, aPod, aRule, nextVersion, upserted } from '../support/objects.ts';
import { createWorld } from '../support/world.ts';

const start = 1_800_000_000_000;

it('PodsListed counts a pod once, even if its eviction is cancelled and planned again', async () => {
  const world = createWorld({ start });
  const tell = (...changes: Parameters<typeof upserted>[0][]) =>
    world.deliver({
      stage: 'ingest',
      at: world.now(),
      body: [aHeartbeat(world.now()), ...changes.map((object) => upserted(object))],
    });
  const annotations = { 'sluice.dev/paused': 'true' };
  const rule = (effect: string, generation: number) =>
    aRule('r', start, {
      annotations,
      generation,
      resourceVersion: nextVersion(),
      taint: { key: 'k', effect, timeAdded: start },
    });
  await tell(...['a', 'b'].flatMap((name) => [aClaim(name, name), aPod(name)]), rule('NoExecute', 1));
  expect(world.metrics.get('PodsListed')).toBe(2);
  await tell(rule('NoSchedule', 2));
  expect(world.metrics.get('EvictionsCancelled')).toBe(2);
  await tell(rule('NoExecute', 3));
  expect(world.metrics.get('PodsListed')).toBe(2);
});
