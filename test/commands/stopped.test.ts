// While an EvictionStop exists, every verb that explains a pod reports the stop and the command to continue.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonMap } from '../../lib/local/cluster/object.ts';
import { gpuRule, objectsOf, type Scene, startScene } from './support/scene.ts';

const reason = 'disks fail; by ada at 2026-01-01T12:00:00Z';
const sentence = `No pod of this cluster is evicted: stopped by EvictionStop manual (${reason}); to continue: kubectl delete evictionstop manual.`;
const condition = (type: string, status: string, why: string) => ({
  type,
  status,
  reason: why,
  message: `${why}.`,
  observedGeneration: 1,
});

let scene: Scene;
beforeEach(async () => {
  scene = await startScene({ hasStops: true });
});
afterEach(() => scene.stop());

const waiting = condition('EvictionInProgress', 'True', 'PodsPendingEviction');

function seedRule(...conditions: readonly JsonMap[]): void {
  const spec = gpuRule.spec as JsonMap;
  const taint = { ...(spec.taint as JsonMap), timeAdded: '2026-01-01T11:00:00Z' };
  scene.cluster.seed({ ...gpuRule, spec: { ...spec, taint }, status: { conditions: [waiting, ...conditions] } });
}

const asked: readonly [string, readonly string[]][] = [
  ['why pod', ['why', 'pod', 'team-a/pod-00000']],
  ['why rule', ['why', 'rule', 'unhealthy-gpus']],
  ['describe pod', ['describe', 'pod', 'pod-00000', '-n', 'team-a']],
  ['describe rule', ['describe', 'rule', 'unhealthy-gpus']],
  ['get pods -o wide', ['get', 'pods', 'pod-00000', '-n', 'team-a', '-o', 'wide']],
];

describe('a cluster with an EvictionStop', () => {
  it.each(asked)(
    '%s reports an EvictionStop with the command to continue, and only while it exists',
    async (_, words) => {
      seedRule();
      expect((await scene.sluice(...words)).out).not.toMatch(/EvictionStop|stopped|held/i);
      expect(await scene.sluice('pause', '--all', '--why', 'disks fail')).toMatchObject({ status: 0 });
      const { status, out } = await scene.sluice(...words);
      expect({ status, out }).toEqual({ status: 0, out: expect.stringContaining(sentence) });
      expect(out).not.toMatch(/will be evicted|: evicts/);
      await scene.sluice('resume', '--all');
      expect((await scene.sluice(...words)).out).not.toContain(sentence);
    },
  );

  it('get pods and why device show no pod as being evicted while an EvictionStop exists', async () => {
    seedRule();
    await scene.sluice('pause', '--all', '--why', 'disks fail');
    expect((await scene.sluice('get', 'pods', '-A')).out).not.toContain('EvictAt');
    const [claim] = objectsOf(scene.cluster, 'resourceclaims');
    const { driver, pool, device } = (
      claim as unknown as {
        status: { allocation: { devices: { results: { driver: string; pool: string; device: string }[] } } };
      }
    ).status.allocation.devices.results[0] ?? { driver: '', pool: '', device: '' };
    const { out } = await scene.sluice('why', 'device', `${driver}/${pool}/${device}`);
    expect(out).toContain(`held: ${sentence}`);
    expect(out).not.toContain('will be evicted');
  });

  it('get rules shows a rule with pending pods as held while an EvictionStop exists', async () => {
    seedRule();
    const state = async () => (await scene.sluice('get', 'rules', '-o', 'wide')).out;
    expect(await state()).toContain('Evicting');
    await scene.sluice('pause', '--all');
    expect(await state()).toMatch(/ Held: Stopped /);
  });

  it.each([
    ['Stopped', 'Held: Stopped'],
    ['Held', 'Held'],
    ['StandsStill', 'Held: StandsStill'],
    ['NotPaced', 'Evicting'],
  ])('get rules shows a rule whose Pacing condition is False with reason %s as %s', async (why, shown) => {
    seedRule(condition('sluice.dev/Pacing', 'False', why));
    const { out } = await scene.sluice('get', 'rules');
    expect(out.split('\n')[1]?.split(/ {3,}/)[4]).toBe(shown);
  });

  it('why pod reports that it may not list EvictionStops and does not assume one', async () => {
    seedRule();
    scene.cluster.faults.add({ when: ({ request }) => request.resource?.plural === 'evictionstops', status: 403 });
    const { out } = await scene.sluice('why', 'pod', 'team-a/pod-00000');
    expect(out).toContain('will be evicted');
    expect(out).toMatch(/ not read: EvictionStops: .*403/);
  });

  it('resume reports that EvictionStops could not be listed, because one of them may still keep the pods', async () => {
    scene.cluster.seed(gpuRule);
    await scene.sluice('pause', 'rule', 'unhealthy-gpus');
    scene.cluster.faults.add({ when: ({ request }) => request.resource?.plural === 'evictionstops', status: 403 });
    const { status, out } = await scene.sluice('resume', 'rule', 'unhealthy-gpus');
    expect([status, out]).toEqual([
      0,
      expect.stringMatching(/unhealthy-gpus is not paused any more\nEvictionStops: .*403/),
    ]);
  });
});
