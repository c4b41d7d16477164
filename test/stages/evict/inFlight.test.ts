// Limits on evictions in flight, end to end: nodes, owners and pools lose at most as many pods at a time as allowed.
import { describe, expect, it } from 'vitest';
import { readWhy } from '../../../lib/view/why.ts';
import { aClaim, aPacedRule, aPod, aRule, aSlice, deleted, nextVersion, upserted } from '../../support/objects.ts';
import { evictionPolicy } from '../../support/pacedBuilders.ts';
import { pacedWorld, start } from '../../support/pacedWorld.ts';

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
    /** Ends deleted pods, as the watch reports it. */
    end: (...pods: string[]) =>
      paced.ingest(...pods.map((name) => deleted({ ...podOf(name), resourceVersion: nextVersion() }))),
  };
}

describe('maxPerNode', () => {
  it('evicts at most maxPerNode pods of a node at a time; the next ones follow when pods are gone', async () => {
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

  it('maxPerNode does not hold the rule', async () => {
    const { ask, write, run, condition } = await aWorld({ a: 3 });
    await ask(evictionPolicy({ limits: { maxPerNode: { count: 1 } } }));
    await write(aPacedRule('r'));
    await run(70);
    expect(condition('r', 'sluice.dev/Held')).toBeUndefined();
    expect(condition('r', 'EvictionInProgress')).toMatchObject({ status: 'True' });
  });

  it('maxPerNode leaves no time in the condition Pacing that passes while it holds the pods', async () => {
    const { ask, write, run, condition } = await aWorld({ a: 3 });
    await ask(evictionPolicy({ limits: { maxPerNode: { count: 1 }, maxPerPool: { count: 2 } } }));
    await write(aPacedRule('r'));
    await run(70);
    const { message, status } = condition('r', 'sluice.dev/Pacing') ?? {};
    expect(status).toBe('True');
    expect(message).toMatch(/: the next of 2 pods is evicted once maxPerNode and maxPerPool allow it\.$/);
  });

  it('maxPerNode as a percentage of the pods with devices on the node is rounded up', async () => {
    const { ask, write, run, gone } = await aWorld({ a: 8, b: 2 });
    await ask(evictionPolicy({ limits: { maxPerNode: { percent: 40 } } }));
    await write(aPacedRule('r'));
    await run(70);
    expect(gone().filter((name) => name.startsWith('a'))).toHaveLength(4);
    expect(gone().filter((name) => name.startsWith('b'))).toHaveLength(1);
  });

  it('maxPerNode counts the evictions of all rules together', async () => {
    const { world, ingest, ask, write, run, gone } = await aWorld({ a: 4 });
    await ask(evictionPolicy({ limits: { maxPerNode: { count: 1 } } }));
    await write(aPacedRule('r'));
    const native = aRule('n', start);
    world.api.rules.set('n', { rule: native, conditions: [] });
    await ingest(upserted(native));
    await run(70);
    expect(gone()).toHaveLength(1);
  });

  it('maxPerNode no longer counts a pod once another pod has its name', async () => {
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

  it('maxPerNode counts only evictions that begin after it is set', async () => {
    const { world, ask, write, run } = await aWorld({ a: 40 });
    await ask(evictionPolicy({ evictionsPerSecond: 1, burst: 1 }));
    await write(aPacedRule('r'));
    await run(10);
    const at = world.now();
    await ask(evictionPolicy({ evictionsPerSecond: 1, burst: 1, generation: 2, limits: { maxPerNode: { count: 2 } } }));
    await run(200);
    // Earlier evictions do not count: they never acquired a permit.
    expect(world.api.deletes.filter((one) => one.at > at)).toHaveLength(2);
  });
});

describe('maxPerWorkload', () => {
  it('evicts at most maxPerWorkload pods of an owner at a time', async () => {
    const { ask, write, run, gone, end } = await aWorld({ a: 3, b: 3 });
    await ask(evictionPolicy({ limits: { maxPerWorkload: { count: 1 } } }));
    await write(aPacedRule('r'));
    for (const round of [1, 2, 3]) {
      await run(5);
      expect(gone()).toHaveLength(2 * round);
      await end(...gone());
    }
  });

  it('maxPerWorkload and maxPerNode apply together, and the smaller limit counts', async () => {
    const { ask, write, run, gone } = await aWorld({ a: 6 });
    await ask(evictionPolicy({ limits: { maxPerNode: { count: 4 }, maxPerWorkload: { percent: 50 } } }));
    await write(aPacedRule('r'));
    await run(70);
    expect(gone()).toHaveLength(3);
  });
});

describe('maxPerPool', () => {
  const poolOf = (name: string) => `pool-${name.slice(0, 1)}`;

  /** Every pod on a node of its own, with a device of the pool that its name begins with. */
  async function pools(...names: string[]) {
    const paced = await pacedWorld(Object.fromEntries(names.map((name) => [name, {}])));
    const podOf = (name: string) => aPod(name, { nodeName: name });
    for (const name of names) {
      const device = { request: 'gpu', driver: 'gpu.example.com', pool: poolOf(name), device: name, tolerations: [] };
      await paced.ingest(
        upserted(aSlice(`slice-${name}`, { pool: { name: poolOf(name), generation: 1 }, devices: [{ name }] })),
        upserted(aClaim(name, name, { allocation: { devices: [device] } })),
        upserted(podOf(name)),
      );
    }
    return {
      ...paced,
      end: (name: string) => paced.ingest(deleted({ ...podOf(name), resourceVersion: nextVersion() })),
    };
  }

  it('evicts at most maxPerPool pods of a pool at a time, whatever nodes they run on', async () => {
    const { ask, write, run, gone, end } = await pools('a0', 'a1', 'a2', 'b0');
    await ask(evictionPolicy({ limits: { maxPerPool: { count: 1 } } }));
    await write(aPacedRule('r'));
    await run(20);
    const [first = ''] = gone();
    expect(gone().map(poolOf)).toEqual(['pool-a', 'pool-b']);
    await end(first);
    await run(5);
    expect(gone().map(poolOf)).toEqual(['pool-a', 'pool-a', 'pool-b']);
  });

  it('maxPerPool may be a percentage of the pods that use devices of the pool', async () => {
    const { ask, write, run, gone } = await pools('a0', 'a1', 'a2', 'a3', 'b0');
    await ask(evictionPolicy({ limits: { maxPerPool: { percent: 50 } } }));
    await write(aPacedRule('r'));
    await run(20);
    expect(gone().map(poolOf)).toEqual(['pool-a', 'pool-a', 'pool-b']);
  });

  it('why names maxPerPool and the pods in flight that a pod waits for', async () => {
    const { world, ask, write, run, gone } = await pools('a0', 'a1');
    await ask(evictionPolicy({ limits: { maxPerPool: { count: 1 } } }));
    await write(aPacedRule('r'));
    await run(10);
    const [first = ''] = gone();
    const left = first === 'a0' ? 'a1' : 'a0';
    const why = await readWhy({ table: world.table, cluster: world.cluster }, `default/${left}`, world.now());
    expect(why.held).toEqual([
      `EvictionPolicy policy allows 1 of pool gpu.example.com/${poolOf(first)} to be evicted at once, and these are not finished: default/${first}.`,
    ]);
  });
});
