// The real steps, interleaved at every table call in random orders: no pod is missed, and none is evicted for an outdated reason.
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
  /** Delivers each message to a function of its own, all of them concurrently. */
  race(messages: readonly (readonly Change[])[]): Promise<void>;
}

/** During a race, every table call waits until the scheduler lets it continue. */
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
      // A message whose function failed is delivered again.
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

describe('claims, pods, slices and a rule that arrive concurrently', () => {
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
  ])('every pod is evicted for %s, exactly once', async (_, changes) => {
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

describe('changes that remove a reason, concurrently with others', () => {
  it('concurrent changes leave no outdated verdict: one pod is cancelled, one is gone, one is evicted', async () => {
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
  });
});
