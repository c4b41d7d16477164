// Workloads that are evicted together, through the whole path: one token for all of their pods; the rate counts workloads.
import { describe, expect, it } from 'vitest';
import type { Pod } from '../../lib/model/objects.ts';
import type { EvictionPolicy } from '../../lib/model/policy.ts';
import { readWhy, renderWhy } from '../../lib/view/why.ts';
import { aClaim, aPacedRule, aPod, aSlice, upserted } from '../support/objects.ts';
import { evictionPolicy } from '../support/pacedBuilders.ts';
import { type PacedWorld, pacedWorld, start } from '../support/pacedWorld.ts';

const alone: Partial<EvictionPolicy> = { evictionsPerSecond: 0.1, burst: 1 };
const together: Partial<EvictionPolicy> = { ...alone, groupBy: 'Workload' };
const job = (uid: string): Partial<Pod> => ({ controller: { apiVersion: 'batch/v1', kind: 'Job', name: uid, uid } });
const jobSet = (name: string): Partial<Pod> => ({ labels: { 'jobset.sigs.k8s.io/jobset-name': name } });

async function played(pods: Readonly<Record<string, Partial<Pod>>>, policy: Partial<EvictionPolicy> = together) {
  const paced = await pacedWorld(Object.fromEntries(Object.keys(pods).map((name) => [name, {}])));
  await paced.ingest(...Object.entries(pods).map(([name, more]) => upserted(aPod(name, more))));
  await paced.ask(evictionPolicy(policy));
  return paced;
}

/** Names of the pods that were evicted in the same second, one line for each second. */
function waves({ world }: PacedWorld): readonly string[] {
  const bySecond = Map.groupBy(world.api.deletes, ({ at }) => Math.floor((at - start) / 1000));
  return [...bySecond]
    .sort(([a], [b]) => a - b)
    .map(([, gone]) =>
      gone
        .map(({ pod }) => pod.name)
        .sort()
        .join(' '),
    );
}

describe('pods of one workload', () => {
  it.each<[string, Partial<EvictionPolicy>, readonly string[]]>([
    ['together under groupBy Workload', together, ['a1 a2 a3', 'b1 b2', 'c']],
    ['one by one without groupBy', alone, ['a1', 'a2', 'a3', 'b1', 'b2', 'c']],
  ])('pods of one workload are evicted %s', async (_, policy, expected) => {
    const age = (seconds: number) => ({ creationTimestamp: start - seconds * 1000 });
    const paced = await played(
      {
        a1: { ...job('a'), ...age(1) },
        a2: { ...job('a'), ...age(2) },
        a3: { ...job('a'), ...age(3) },
        b1: { ...jobSet('b'), ...age(4) },
        b2: { ...jobSet('b'), ...job('x'), ...age(5) },
        c: age(6),
      },
      policy,
    );
    await paced.write(aPacedRule('r'));
    await paced.run(70);
    expect(waves(paced)).toEqual(expected);
  });

  it('a workload is evicted at the place of its pod with the lowest priority', async () => {
    const paced = await played({
      alone: { priority: 5 },
      cheap: { ...job('a'), priority: 0 },
      dear: { ...job('a'), priority: 9 },
    });
    await paced.write(aPacedRule('r'));
    await paced.run(30);
    expect(waves(paced)).toEqual(['cheap dear', 'alone']);
  });

  it('workloads that are known by name only are distinct in each namespace', async () => {
    const paced = await played({ a: jobSet('s') });
    paced.world.api.pods.set('other/b', { uid: 'uid-b', terminating: false, marked: false });
    const there = { namespace: 'other' };
    await paced.ingest(
      upserted(aSlice('slice-b', { devices: [{ name: 'b' }] })),
      upserted(aClaim('b', 'b', there)),
      upserted(aPod('b', { ...jobSet('s'), ...there })),
    );
    await paced.write(aPacedRule('r'));
    await paced.run(30);
    expect(waves(paced)).toEqual(['a', 'b']);
  });

  it('a pod of a workload that still tolerates the taint is evicted later, on its own token', async () => {
    const paced = await played({ now: job('a'), later: job('a') });
    const tolerations = [{ key: 'example.com/bad', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 30 }];
    const device = { request: 'gpu', driver: 'gpu.example.com', pool: 'node-1', device: 'later', tolerations };
    await paced.ingest(upserted(aClaim('later', 'later', { allocation: { devices: [device] } })));
    await paced.write(aPacedRule('r'));
    await paced.run(20);
    expect(waves(paced)).toEqual(['now']);
    await paced.run(100);
    expect(waves(paced)).toEqual(['now', 'later']);
  });

  it('a pod that joins a workload before its eviction is evicted with it', async () => {
    const paced = await played({ first: { priority: -1 }, a1: job('a'), late: {} });
    await paced.write(aPacedRule('r'));
    await paced.run(3);
    await paced.ingest(upserted(aPod('late', job('a'))));
    await paced.run(30);
    expect(waves(paced)).toEqual(['first', 'a1 late']);
    const other = await played({ first: { priority: -1 }, a1: job('a') });
    await other.write(aPacedRule('r'));
    await other.run(3);
    other.world.api.pods.set('default/a2', { uid: 'uid-a2', terminating: false, marked: false });
    await other.ingest(
      upserted(aSlice('slice-a2', { devices: [{ name: 'a2' }] })),
      upserted(aClaim('a2', 'a2')),
      upserted(aPod('a2', job('a'))),
    );
    await other.run(30);
    expect(waves(other)).toEqual(['first', 'a1 a2']);
  });

  it('why names the workload that a pod is evicted with', async () => {
    const { world, write, run } = await played(
      { a: jobSet('s'), b: jobSet('s') },
      { ...together, evictionsPerSecond: 0 },
    );
    await write(aPacedRule('r'));
    await run(5);
    const why = renderWhy(
      'default/a',
      await readWhy({ table: world.table, cluster: world.cluster }, 'default/a', world.now()),
    );
    expect(why.join('\n')).toContain('together with JobSet/default/s');
  });

  it('pending pods of a workload are evicted together once a policy asks for it', async () => {
    const paced = await played({ a: jobSet('s'), b: jobSet('s') }, { evictionsPerSecond: 0 });
    await paced.write(aPacedRule('r'));
    await paced.run(5);
    await paced.ask(evictionPolicy(together));
    await paced.run(5);
    expect(waves(paced)).toEqual(['a b']);
  });

  it('a workload is evicted without its pods whose mode is Skip', async () => {
    const stays = { labels: { ...jobSet('s').labels, 'sluice.dev/eviction-mode': 'Skip' } };
    const paced = await played({ a: jobSet('s'), b: jobSet('s'), c: stays });
    await paced.write(aPacedRule('r'));
    await paced.run(60);
    expect(waves(paced)).toEqual(['a b']);
  });

  it('a workload with more pods than one token covers is evicted in parts', async () => {
    const paced = await played(Object.fromEntries(Array.from({ length: 230 }, (_, i) => [`p${i}`, jobSet('s')])));
    await paced.write(aPacedRule('r'));
    await paced.run(100);
    expect(paced.gone()).toHaveLength(230);
    expect(waves(paced).length).toBeLessThanOrEqual(4);
  });

  it('pods of a workload count one by one in a canary', async () => {
    const paced = await played(
      { a: jobSet('s'), b: jobSet('s'), c: jobSet('s') },
      { ...together, canary: { pods: 2, hold: 60_000 } },
    );
    await paced.write(aPacedRule('r'));
    await paced.run(50);
    expect(paced.gone()).toHaveLength(2);
    await paced.run(80);
    expect(paced.gone()).toHaveLength(3);
  });

  it('an evicted workload leaves no group rows in the table', async () => {
    const paced = await played({ a: jobSet('s'), b: jobSet('s') });
    await paced.write(aPacedRule('r'));
    await paced.run(30);
    expect(paced.gone()).toHaveLength(2);
    expect(paced.world.table.rows().filter(({ pk }) => pk.includes('#GROUP#'))).toEqual([]);
  });
});
