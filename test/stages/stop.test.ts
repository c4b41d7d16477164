// An EvictionStop stops all evictions of its cluster within a second, whatever their cause; deleting it resumes them.
import { describe, expect, it } from 'vitest';
import type { NotRead } from '../../lib/liveCluster.ts';
import type { EvictionStop } from '../../lib/model/stop.ts';
import { readPod } from '../../lib/state/podRows.ts';
import { createProgressReader, readClusterProgress } from '../../lib/view/readModel.ts';
import { readWhy, renderWhy } from '../../lib/view/why.ts';
import {
  aClaim,
  aHeartbeat,
  aPacedRule,
  aPod,
  aRule,
  aSlice,
  aTaintSlice,
  nextVersion,
  upserted,
} from '../support/objects.ts';
import { type PacedWorld, pacedWorld, start } from '../support/pacedWorld.ts';

const stop = { name: 'incident', uid: 'uid-incident', reason: 'disks fail' };
const pace = { 'sluice.dev/evictions-per-second': '10', 'sluice.dev/burst': '1' };
const names = Array.from({ length: 60 }, (_, i) => `p${String(i).padStart(2, '0')}`);
const devices = Object.fromEntries(names.map((name) => [name, {}]));

async function nativeRule({ world, ingest }: PacedWorld): Promise<void> {
  const rule = aRule('r', start, { annotations: pace });
  world.api.rules.set('r', { rule, conditions: [] });
  await ingest(upserted(rule));
}

const reasons: readonly (readonly [string, (paced: PacedWorld) => Promise<unknown>])[] = [
  ['a DeviceTaintRule', nativeRule],
  [
    'a PacedTaintRule',
    ({ write }) =>
      write(aPacedRule('r', { taints: [{ key: 'k', effect: 'NoExecute', evictionsPerSecond: 10, burst: 1 }] })),
  ],
  [
    'taints in ResourceSlices',
    ({ ingest }) => {
      const taints = [{ key: 'k', effect: 'NoExecute', timeAdded: start }];
      return ingest(
        ...names.map((name) =>
          upserted(aSlice(`slice-${name}`, { resourceVersion: nextVersion(), devices: [{ name, taints }] })),
        ),
      );
    },
  ],
  [
    'taints in DeviceTaintSlices',
    ({ publish }) =>
      publish(
        aTaintSlice('agent', {
          taints: names.map((device) => ({ device, taint: { key: 'k', effect: 'NoExecute', timeAdded: start } })),
        }),
      ),
  ],
];

describe.each(reasons)('evictions because of %s', (_, begin) => {
  it('an EvictionStop lets no DELETE be sent after a second, and evictions resume within 70 seconds of its deletion', async () => {
    const paced = await pacedWorld(devices);
    await begin(paced);
    await paced.run(2);
    const { world, gone } = paced;
    const before = gone().length;
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(names.length);
    world.api.live.stopObjects = [stop];
    const at = world.now();
    await paced.run(120);
    expect(world.api.deletes.filter((one) => one.at > at + 1000)).toEqual([]);
    const stopped = gone().length;
    expect(stopped).toBeLessThan(names.length);
    world.api.live.stopObjects = [];
    await paced.run(70);
    expect(gone().length).toBeGreaterThan(stopped);
    await paced.run(120);
    expect(gone()).toEqual(names);
  });
});

describe('EvictionStops', () => {
  const one = { a: {} };

  it('a cluster stays stopped while one of two EvictionStops is left', async () => {
    const paced = await pacedWorld(one);
    paced.world.api.live.stopObjects = [stop, { name: 'other', uid: 'u' }];
    await nativeRule(paced);
    await paced.run(70);
    paced.world.api.live.stopObjects = [{ name: 'other', uid: 'u' }];
    await paced.run(70);
    expect(paced.gone()).toEqual([]);
  });

  it('an EvictionStop created between the PATCH and the DELETE of a pod keeps the pod, which is pending again', async () => {
    const paced = await pacedWorld(one);
    const { world } = paced;
    const mark = world.api.evictor.mark.bind(world.api.evictor);
    Object.assign(world.api.evictor, {
      mark: async (...of: Parameters<typeof mark>) => {
        const answer = await mark(...of);
        world.api.live.stopObjects = [stop];
        world.setNow(world.now() + 300);
        return answer;
      },
    });
    await nativeRule(paced);
    await paced.run(30);
    expect(paced.gone()).toEqual([]);
    const row = await readPod({ table: world.table, cluster: world.cluster }, 'default/a');
    expect(row?.ledger?.state).toBe('Pending');
  });

  it('an EvictionStop also keeps pods that would be evicted through the Eviction API', async () => {
    const paced = await pacedWorld({});
    const { world, ingest } = paced;
    world.api.pods.set('default/a', { uid: 'uid-a', marked: false, terminating: false });
    world.api.live.stopObjects = [stop];
    await ingest(upserted(aClaim('a', 'a')), upserted(aPod('a', { labels: { 'sluice.dev/eviction-mode': 'Evict' } })));
    await nativeRule(paced);
    await paced.run(70);
    expect([world.api.evictions, world.api.deletes]).toEqual([[], []]);
  });

  it.each<[string, NotRead]>([
    ['refused', { kind: 'Refused', why: '403 cannot list resource "evictionstops"', status: 403 }],
    ['not answered', { kind: 'RetryLater', after: 1000, why: 'LIST evictionstops: no answer within 5000 ms' }],
  ])(
    'a read of EvictionStops that is %s holds the cluster, and the status of the rule gives the reason',
    async (_, answer) => {
      const paced = await pacedWorld(one);
      const { world } = paced;
      world.api.live.stopObjects = answer;
      await paced.write(aPacedRule('r'));
      await paced.run(70);
      expect(paced.gone()).toEqual([]);
      expect(paced.condition('r', 'sluice.dev/Pacing')).toMatchObject({ status: 'False', reason: 'Stopped' });
      expect(paced.condition('r', 'sluice.dev/Pacing')?.message).toContain('kind' in answer ? answer.why : '');
      world.api.live.stopObjects = [];
      await paced.run(70);
      expect(paced.gone()).toEqual(['a']);
    },
  );

  it('a cluster without the EvictionStop kind is not stopped', async () => {
    const paced = await pacedWorld(one);
    paced.world.api.live.stopObjects = { kind: 'NotServed', why: 'evictionstops: not served' };
    await nativeRule(paced);
    await paced.run(10);
    expect(paced.gone()).toEqual(['a']);
  });

  describe('a kind that is not served any more', () => {
    const notServed: NotRead = { kind: 'NotServed', why: 'evictionstops: this API server serves no such kind' };
    async function unserved(): Promise<PacedWorld> {
      const paced = await pacedWorld(one);
      paced.world.api.live.stopObjects = [stop];
      await paced.write(aPacedRule('r'));
      await paced.run(70);
      paced.world.api.live.stopObjects = notServed;
      return paced;
    }
    const told = ({ world }: PacedWorld, stops: readonly EvictionStop[]) => ({ ...aHeartbeat(world.now()), stops });

    it('an EvictionStop that the table knows stops evictions while its kind is not served, and the reason names both', async () => {
      const paced = await unserved();
      for (let minutes = 0; minutes < 5; minutes++) {
        await paced.ingest(told(paced, [stop]));
        await paced.run(60);
      }
      expect(paced.gone()).toEqual([]);
      const said = paced.condition('r', 'sluice.dev/Pacing')?.message;
      expect(said).toContain(notServed.why);
      expect(said).toContain('EvictionStop incident');
      expect(said).toContain('install');
    });

    it('pods are evicted after the kind EvictionStop was removed, once the watcher tells that no stop is left', async () => {
      const paced = await unserved();
      await paced.run(60);
      expect(paced.gone()).toEqual([]);
      await paced.ingest(told(paced, []));
      await paced.run(70);
      expect(paced.gone()).toEqual(['a']);
    });

    it('pods are evicted after the kind EvictionStop was removed, four minutes after the last sign of a stop', async () => {
      const paced = await unserved();
      await paced.run(250);
      expect(paced.gone()).toEqual(['a']);
    });
  });

  it('an EvictionStop is shown by the rule, the page and why, with the command that ends it, until it is deleted', async () => {
    const paced = await pacedWorld(one);
    const { world } = paced;
    world.api.live.stopObjects = [stop];
    await paced.write(aPacedRule('r'));
    await paced.run(70);
    const said = 'stopped by EvictionStop incident (disks fail); to continue: kubectl delete evictionstop incident';
    const state = { table: world.table, cluster: world.cluster };
    expect(paced.condition('r', 'sluice.dev/Pacing')).toMatchObject({
      status: 'False',
      reason: 'Stopped',
      message: `No pod of this cluster is evicted: ${said}.`,
    });
    const why = async () => renderWhy('default/a', await readWhy(state, 'default/a', world.now())).join('\n');
    const page = async () => JSON.stringify(await readClusterProgress(state, world.now()));
    expect(await why()).toContain(said);
    expect(await page()).toContain(said);
    world.api.live.stopObjects = [];
    await paced.run(240);
    expect(paced.gone()).toEqual(['a']);
    expect(await page()).not.toContain('EvictionStop');
  });

  it('a reader that watches EvictionStops itself shows them at once, and none from the moment of their deletion', async () => {
    const paced = await pacedWorld(one);
    const { world } = paced;
    const state = { table: world.table, cluster: world.cluster };
    const read = createProgressReader(async () => state, { now: world.now });
    const held = async (stops?: readonly EvictionStop[]) =>
      (await read(stops)).limiters.map((each) => each.heldBecause);
    const said = 'stopped by EvictionStop incident (disks fail); to continue: kubectl delete evictionstop incident';
    world.api.live.stopObjects = [stop];
    await paced.write(aPacedRule('r'));
    await paced.run(20);
    expect(await held()).toEqual([said]);
    expect(await held([stop])).toEqual([said]);
    expect(await held([])).toEqual([undefined]);
    expect(await held([{ name: 'other', uid: 'u' }])).toEqual([expect.stringContaining('EvictionStop other;')]);
    world.api.live.stopObjects = { kind: 'Refused', why: '403 no', status: 403 };
    await paced.run(130);
    expect(await held([])).toEqual([expect.stringContaining('403 no')]);
  });

  it('a process reads EvictionStops at most four times a second, however many pods it evicts', async () => {
    const paced = await pacedWorld(devices);
    paced.world.api.live.reads.length = 0;
    await nativeRule(paced);
    await paced.run(10);
    expect(paced.gone()).toHaveLength(names.length);
    const asked = paced.world.api.live.reads.filter((read) => read === 'EvictionStop *').length;
    expect(asked).toBeLessThanOrEqual(4 * 10 + 1);
  });
});
