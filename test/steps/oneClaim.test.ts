// Thousands of pods on one claim (KEP-5194): each is evicted once, and the cost of one pod does not grow with their number.
import { expect, it } from 'vitest';
import { aClaim, aHeartbeat, aPod, aRule, upserted } from '../support/objects.ts';
import { createWorld } from '../support/world.ts';

const start = 1_800_000_000_000;
const job = { apiGroup: 'batch', resource: 'jobs', name: 'training', uid: 'job-uid' };
const web = { apiVersion: 'batch/v1', kind: 'Job', name: 'training', uid: 'job-uid' };

/** Table calls from the rule to the last listing, and from the first token to the last closed record. */
async function evictAll(count: number) {
  let calls = 0;
  const world = createWorld({
    start,
    settings: { nonPodConsumers: true },
    beforeCall: async () => {
      calls++;
    },
  });
  const names = Array.from({ length: count }, (_, i) => `pod-${String(i).padStart(4, '0')}`);
  const tell = async (...changes: Parameters<typeof upserted>[0][]) => {
    for (let i = 0; i < changes.length; i += 100)
      await world.deliver({
        stage: 'ingest',
        at: world.now(),
        body: changes.slice(i, i + 100).map((one) => upserted(one)),
      });
  };
  const passed = async (seconds: number) => {
    const before = calls;
    for (let i = 0; i < seconds; i += 10) {
      await world.deliver({ stage: 'ingest', at: world.now(), body: [aHeartbeat(world.now())] });
      await world.runUntil(world.now() + 10_000);
    }
    return calls - before;
  };
  const rule = (generation: number, perSecond: string) => {
    const annotations = { 'sluice.dev/evictions-per-second': perSecond, 'sluice.dev/burst': '10000' };
    const written = aRule('bad', start, { generation, annotations });
    world.api.rules.set('bad', { rule: written, conditions: [] });
    return tell(written);
  };
  await world.deliver({ stage: 'ingest', at: start, body: [aHeartbeat(start)] });
  await tell(aClaim('shared', 'gpu-0', { reservedFor: [job] }));
  const resourceClaims = [{ name: 'gpu', resourceClaimName: 'claim-shared' }];
  for (const name of names)
    world.api.pods.set(`default/${name}`, { uid: `uid-${name}`, terminating: false, marked: false });
  await tell(...names.map((name) => aPod(name, { resourceClaims, controller: web })));
  await passed(20);
  const idle = await passed(60);
  const told = calls;
  await rule(1, '0');
  const listed = calls - told + (await passed(60)) - idle;
  const before = calls;
  await rule(2, '10000');
  let evicting = calls - before;
  for (let i = 0; i < 60 && world.api.deletes.length < count; i++) evicting += await passed(10);
  return { names, deleted: world.api.deletes.map(({ pod }) => pod.name).sort(), listed, evicting };
}

it('nine thousand pods on one claim that is reserved for a Job are each evicted once', async () => {
  const [small, large] = [await evictAll(900), await evictAll(9000)];
  expect(large.deleted).toEqual(large.names);
  expect(small.deleted).toEqual(small.names);
  // A pod costs as many table calls as it does among a tenth as many pods.
  for (const what of ['listed', 'evicting'] as const) {
    expect(large[what] / 9000).toBeLessThan(1.1 * (small[what] / 900));
  }
  expect([large.listed / 9000, large.evicting / 9000].map(Math.ceil)).toEqual([2, 4]);
}, 300_000);
