// The real steps, cut up at every call of the table and put together in random orders: no pod is ever missed, none goes for what has passed.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Change } from '../../lib/model/change.ts';
import { readPods } from '../../lib/state/podRows.ts';
import { aClaim, aHeartbeat, aPod, aRule, aSlice, nextVersion, upserted } from '../support/objects.ts';
import { createWorld, type World } from '../support/world.ts';

const start = 1_800_000_000_000;
const pods = ['a', 'b', 'c'];

interface Racing {
  readonly world: World;
  /** Hands out the changes as messages, each to a function of its own, all at work at once. */
  race(messages: readonly (readonly Change[])[]): Promise<void>;
}

/** While a race lasts every call of the table waits until the scheduler lets one of them continue. */
function racing(scheduler: fc.Scheduler): Racing {
  let isRacing = false;
  const world = createWorld({
    start,
    beforeCall: async () => {
      if (isRacing) await scheduler.schedule(Promise.resolve());
    },
  });
  const deliver = (body: readonly Change[]) => world.deliver({ stage: 'ingest', at: world.now(), body });
  return {
    world,
    async race(messages) {
      isRacing = true;
      const results = await scheduler.waitFor(Promise.allSettled(messages.map(deliver)));
      isRacing = false;
      // What failed under the others comes back.
      for (const [i, result] of results.entries()) if (result.status === 'rejected') await deliver(messages[i] ?? []);
    },
  };
}

/** All changes in any order, some of them twice, cut into three messages. */
function messagesOf(changes: readonly Change[]): fc.Arbitrary<readonly (readonly Change[])[]> {
  const shuffled = fc.shuffledSubarray([...changes], { minLength: changes.length });
  const again = fc.subarray([...changes], { maxLength: 2 });
  const cut = fc.nat({ max: changes.length });
  return fc.tuple(shuffled, again, cut, cut).map(([once, twice, a, b]) => {
    const all = [...once, ...twice];
    const [from, to] = [Math.min(a, b), Math.max(a, b)];
    return [all.slice(0, from), all.slice(from, to), all.slice(to)];
  });
}

function admit(world: World): void {
  for (const name of pods)
    world.api.pods.set(`default/${name}`, { uid: `uid-${name}`, terminating: false, marked: false });
}

const names = (world: World) => world.api.deletes.map(({ pod }) => pod.name).sort();

describe('claims, pods, slices and a rule that arrive side by side', () => {
  const rule = aRule('bad', start);
  const taint = { key: 'example.com/dark', effect: 'NoExecute', timeAdded: start };
  const arriving = [
    aHeartbeat(start),
    upserted(rule),
    ...pods.flatMap((name) => [upserted(aClaim(name, name)), upserted(aPod(name))]),
  ];
  const bySlice = [...arriving.filter((_, i) => i !== 1), upserted(aSlice('dark', { devices: darkened(taint) }))];

  it.each([
    ['a rule', arriving],
    ['a taint in a slice', bySlice],
  ])('every pod goes for %s, and goes once', async (_, changes) => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), messagesOf(changes), async (scheduler, messages) => {
        const { world, race } = racing(scheduler);
        admit(world);
        world.api.rules.set('bad', { rule, conditions: [] });
        await race(messages);
        await world.runUntil(start + 20_000);
        expect(names(world)).toEqual(pods);
      }),
      { numRuns: 200 },
    );
  });
});

function darkened(taint: { key: string; effect: string; timeAdded: number }) {
  return pods.map((name) => ({ name, taints: [taint] }));
}

describe('changes that take a reason back, side by side with others', () => {
  it('leave no verdict from before: one pod is let off, one is gone, one goes', async () => {
    const { allocation: _, ...unallocated } = aClaim('a', 'a', { reservedFor: [] });
    const paused = aRule('bad', start, { annotations: { 'sluice.dev/paused': 'true' } });
    const changes = [
      upserted({ ...unallocated, resourceVersion: nextVersion() }),
      upserted(aPod('a', { resourceVersion: nextVersion(), priority: 7 })),
      upserted(aPod('b', { resourceVersion: nextVersion(), deletionTimestamp: start })),
      upserted(aClaim('c', 'c', { resourceVersion: nextVersion() })),
      upserted(aSlice('here', { devices: [{ name: 'c' }] })),
      upserted({ ...paused, resourceVersion: nextVersion(), annotations: { 'pause.sluice.dev/more': 'yes' } }),
    ];
    const before = [
      aHeartbeat(start),
      upserted(paused),
      ...pods.flatMap((name) => [
        upserted(aClaim(name, name, { resourceVersion: '1' })),
        upserted(aPod(name, { resourceVersion: '1' })),
      ]),
    ];
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), messagesOf(changes), async (scheduler, messages) => {
        const { world, race } = racing(scheduler);
        admit(world);
        world.api.rules.set('bad', { rule: paused, conditions: [] });
        await world.deliver({ stage: 'ingest', at: start, body: before });
        await world.runUntil(start + 5000);
        await race(messages);
        await world.runUntil(world.now() + 5000);
        const state = { table: world.table, cluster: world.cluster };
        const rows = await readPods(
          state,
          pods.map((name) => `default/${name}`),
        );
        expect(rows.map(({ key, ledger }) => [key, ledger?.state])).toEqual([
          ['default/a', 'Cancelled'],
          ['default/b', 'Gone'],
          ['default/c', 'Pending'],
        ]);
        const free = { ...paused, resourceVersion: nextVersion(), annotations: {} };
        world.api.rules.set('bad', { rule: free, conditions: [] });
        await world.deliver({ stage: 'ingest', at: world.now(), body: [aHeartbeat(world.now()), upserted(free)] });
        await world.runUntil(world.now() + 20_000);
        expect(names(world)).toEqual(['c']);
      }),
      { numRuns: 200 },
    );
  }, 120_000);
});
