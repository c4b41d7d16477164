// Two rules on the same pods in an installation with bad luck: slots that pods leave for the other rule's are given again, each once.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Reservation } from '../../lib/model/eviction.ts';
import { aRule, upserted } from '../support/objects.ts';
import type { Soak } from '../support/soak.ts';
import {
  clocksDiffer,
  createScene,
  fineWith,
  runWithHeartbeats,
  type Scene,
  soakRuns,
  unluckyWith,
} from '../support/soakScene.ts';

const scenes = fc.record({
  seed: fc.integer({ min: 1, max: 2 ** 31 }),
  pods: fc.integer({ min: 10, max: 80 }),
  perSecond: fc.constantFrom(0.2, 0.5, 1, 3),
  second: fc.constantFrom(0.2, 1, 4),
  after: fc.integer({ min: 1, max: 30 }),
});

/** The slots that deletes were charged to, ascending, of one rule. */
function slotsOf({ world }: Soak, rule: string): readonly number[] {
  const used = world.table.rows().flatMap(({ outcome, reservation }) => {
    return outcome === undefined || reservation === undefined ? [] : [reservation as Reservation];
  });
  return used
    .filter(({ limiter }) => limiter === `rule|uid-${rule}`)
    .map(({ slot }) => slot)
    .sort((a, b) => a - b);
}

/** A slot that was used twice, or two that are nearer to each other than the rate allows. */
function tooNear(slots: readonly number[], perSecond: number): readonly number[] {
  return slots.slice(1).filter((slot, i) => slot - (slots[i] ?? 0) < 1000 / perSecond - 0.01);
}

async function play(scene: Pick<Scene, 'seed' | 'pods' | 'perSecond'> & { second: number; after: number }) {
  const made = await createScene({ ...scene, burst: 1, canary: null });
  const { soak, random } = made;
  await runWithHeartbeats(soak, scene.after, { luck: unluckyWith(random) });
  const annotations = { 'sluice.dev/evictions-per-second': String(scene.second), 'sluice.dev/burst': '1' };
  const rule = aRule('worse', soak.world.now(), { annotations });
  soak.world.api.rules.set('worse', { rule, conditions: [] });
  soak.send([upserted(rule)]);
  return made;
}

describe('two rules on the same pods, with bad luck for a minute and clocks that differ by two seconds either way', () => {
  it('no slot of either is used twice, and every pod goes once', async () => {
    await fc.assert(
      fc.asyncProperty(scenes, async (scene) => {
        const { soak, random, names } = await play(scene);
        await runWithHeartbeats(soak, 60, { luck: unluckyWith(random) });
        const slowest = Math.max(scene.perSecond, scene.second);
        await runWithHeartbeats(soak, 700 + (3 * scene.pods) / slowest, {
          luck: { ...fineWith(random), skew: clocksDiffer },
        });
        expect(soak.world.api.deletes.map(({ pod }) => pod.name).sort()).toEqual(names);
        expect(tooNear(slotsOf(soak, 'bad'), scene.perSecond)).toEqual([]);
        expect(tooNear(slotsOf(soak, 'worse'), scene.second)).toEqual([]);
      }),
      { numRuns: soakRuns },
    );
  });
});
