// Limits of evictions at once through the whole path: nodes and owners lose no more pods at a time than their policy allows.
import { describe, expect, it } from 'vitest';
import type { PodRow } from '../../lib/state/podRows.ts';
import { board } from '../../lib/steps/inFlight.ts';
import { aClaim, aPacedRule, aPod, aRule, deleted, nextVersion, upserted } from '../support/objects.ts';
import { evictionPolicy } from '../support/pacedBuilders.ts';
import { pacedWorld, start } from '../support/pacedWorld.ts';

const owner = (uid: string) => ({ controller: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: uid, uid } });

/** Pods `a0`, `a1`, … on node `a` and owned by `a`, and so on. */
async function aWorld(groups: Readonly<Record<string, number>>) {
  const names = Object.entries(groups).flatMap(([group, count]) =>
    Array.from({ length: count }, (_, i) => ({ group, name: `${group}${i}` })),
  );
  const paced = await pacedWorld(Object.fromEntries(names.map(({ name }) => [name, {}])));
  const podOf = (name: string) => aPod(name, { nodeName: name.slice(0, 1), ...owner(name.slice(0, 1)) });
  await paced.ingest(...names.map(({ name }) => upserted(podOf(name))));
  return {
    ...paced,
    /** Pods that were deleted end, and the watch tells. */
    end: (...pods: string[]) =>
      paced.ingest(...pods.map((name) => deleted({ ...podOf(name), resourceVersion: nextVersion() }))),
  };
}

describe('evictions of one node', () => {
  it('are at most so many at once; the next go when pods are gone, not when they are deleted', async () => {
    const { ask, write, run, gone, end } = await aWorld({ a: 5, b: 1 });
    await ask(evictionPolicy({ limits: { maxPerNode: { count: 2 } } }));
    await write(aPacedRule('r'));
    await run(70);
    const first = gone().filter((name) => name.startsWith('a'));
    expect(first).toHaveLength(2);
    expect(gone()).toContain('b0');
    await end(first[0] ?? '');
    await run(3);
    expect(gone().filter((name) => name.startsWith('a'))).toHaveLength(3);
    await end(...gone().filter((name) => name !== first[0]));
    await run(3);
    expect(gone()).toHaveLength(6);
  });

  it('do not hold the rule', async () => {
    const { ask, write, run, condition } = await aWorld({ a: 3 });
    await ask(evictionPolicy({ limits: { maxPerNode: { count: 1 } } }));
    await write(aPacedRule('r'));
    await run(70);
    expect(condition('r', 'sluice.dev/Held')).toBeUndefined();
    expect(condition('r', 'EvictionInProgress')).toMatchObject({ status: 'True' });
  });

  it('may be a part of the pods there that use devices, and are one at least', async () => {
    const { ask, write, run, gone } = await aWorld({ a: 8, b: 2 });
    await ask(evictionPolicy({ limits: { maxPerNode: { percent: 40 } } }));
    await write(aPacedRule('r'));
    await run(70);
    expect(gone().filter((name) => name.startsWith('a'))).toHaveLength(4);
    expect(gone().filter((name) => name.startsWith('b'))).toHaveLength(1);
  });

  it('count together over rules', async () => {
    const { world, ingest, ask, write, run, gone } = await aWorld({ a: 4 });
    await ask(evictionPolicy({ limits: { maxPerNode: { count: 1 } } }));
    await write(aPacedRule('r'));
    const native = aRule('n', start);
    world.api.rules.set('n', { rule: native, conditions: [] });
    await ingest(upserted(native));
    await run(70);
    expect(gone()).toHaveLength(1);
  });

  it('go on where a pod of the same name came back before the watch told that the first is gone', async () => {
    const { ingest, ask, write, run, gone } = await aWorld({ a: 3 });
    await ask(evictionPolicy({ limits: { maxPerNode: { count: 1 } } }));
    await write(aPacedRule('r'));
    await run(20);
    const [name = ''] = gone();
    await ingest(
      upserted(aPod(name, { uid: 'successor', nodeName: 'b' })),
      upserted(aClaim(name, 'x', { reservedFor: [] })),
    );
    await run(3);
    expect(gone()).toHaveLength(2);
  });

  it('that a policy limits in their midst are given back their slots', async () => {
    const { world, ask, write, run } = await aWorld({ a: 40 });
    await ask(evictionPolicy({ evictionsPerSecond: 1, burst: 1 }));
    await write(aPacedRule('r'));
    await run(10);
    const at = world.now();
    await ask(evictionPolicy({ evictionsPerSecond: 1, burst: 1, generation: 2, limits: { maxPerNode: { count: 2 } } }));
    await run(200);
    // The earlier ones count nowhere: their seats were never taken.
    expect(world.api.deletes.filter((one) => one.at > at)).toHaveLength(2);
  });
});

describe('evictions of one owner', () => {
  it('are at most so many at once', async () => {
    const { ask, write, run, gone, end } = await aWorld({ a: 3, b: 3 });
    await ask(evictionPolicy({ limits: { maxPerWorkload: { count: 1 } } }));
    await write(aPacedRule('r'));
    for (const round of [1, 2, 3]) {
      await run(5);
      expect(gone()).toHaveLength(2 * round);
      await end(...gone());
    }
  });

  it('count beside those of the node, and the smaller number counts', async () => {
    const { ask, write, run, gone } = await aWorld({ a: 6 });
    await ask(evictionPolicy({ limits: { maxPerNode: { count: 4 }, maxPerWorkload: { percent: 50 } } }));
    await write(aPacedRule('r'));
    await run(70);
    expect(gone()).toHaveLength(3);
  });
});

describe('two evictors that find the same seat free', () => {
  const limiter = 'slice|gpu.example.com|k||NoExecute';
  const ruleSet = { rules: [], policies: [evictionPolicy({ limits: { maxPerNode: { count: 1 } } })] };
  const rowOf = (name: string): PodRow => {
    const object = aPod(name, { nodeName: 'a' });
    return {
      key: `default/${name}`,
      uid: object.uid,
      object,
      ver: 1,
      gone: false,
      listed: [],
      at: '1',
      mirror: 'Live',
    };
  };

  it('do not both get it, be it new or one that nobody needs any more', async () => {
    const { world } = await aWorld({});
    const state = { table: world.table, cluster: world.cluster };
    const ask = async (name: string) => {
      const boarding = await board(world.deps, state, { limiter, ruleSet, row: rowOf(name) });
      return boarding.kind === 'Board' ? boarding.writes : [];
    };
    // No row says that one of them is in flight: each seat is free again at once.
    for (const pair of [
      ['x', 'y'],
      ['y', 'x'],
      ['x', 'x'],
    ]) {
      const found = await Promise.all(pair.map(ask));
      const written = [];
      for (const writes of found) written.push((await world.table.transact(writes)).kind);
      expect(written).toEqual(['Written', 'Lost']);
    }
  });

  it('are told by the pod that has it', async () => {
    const { world, ask, write, run, gone } = await aWorld({ a: 2 });
    await ask(evictionPolicy({ limits: { maxPerNode: { count: 1 } } }));
    await write(aPacedRule('r'));
    await run(10);
    const state = { table: world.table, cluster: world.cluster };
    expect(gone()).toHaveLength(1);
    expect(await board(world.deps, state, { limiter, ruleSet, row: rowOf('z') })).toEqual({
      kind: 'Full',
      why: '1 evictions of Node a are in flight',
    });
  });
});
