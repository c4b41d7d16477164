// Rows of an incarnation other than that of the API server evict no pod, even if the live cluster requires the eviction.
import { describe, expect, it } from 'vitest';
import { clusterIdOf, clusterNameOf } from '../../../lib/model/identity.ts';
import { evict } from '../../../lib/stages/evict/index.ts';
import { report } from '../../../lib/stages/report/report.ts';
import { aClaim, aHeartbeat, aPod, aRule, driver, upserted } from '../../support/objects.ts';
import { createWorld, type World } from '../../support/world.ts';

const start = 1_800_000_000_000;
const objects = [
  aClaim('pod', 'gpu-0'),
  aPod('pod'),
  aRule('bad', start - 1000, { deviceSelector: { driver, device: 'gpu-0' } }),
];

/** The pod is due, and its eviction has not begun. */
async function due(): Promise<{ readonly world: World; readonly evictAll: () => Promise<void> }> {
  const world = createWorld({ start });
  for (const object of objects)
    if (object.kind === 'Pod')
      world.api.pods.set(`${object.namespace}/${object.name}`, { uid: object.uid, marked: false, terminating: false });
    else if (object.kind === 'DeviceTaintRule') world.api.rules.set(object.name, { rule: object, conditions: [] });
  const body = [aHeartbeat(start), ...objects.map((object) => upserted(object))];
  await world.deliver({ stage: 'ingest', at: start, body });
  const messages = world.messages.filter((one) => one.stage === 'evict');
  expect(messages.length).toBeGreaterThan(0);
  return {
    world,
    async evictAll() {
      for (const one of messages) await world.deliver(one);
    },
  };
}

describe('the incarnation of a due pod', () => {
  it('a due pod is evicted from rows of the current incarnation', async () => {
    const { world, evictAll } = await due();
    await evictAll();
    expect(world.api.deletes.map(({ pod }) => pod.name)).toEqual(['pod']);
  });

  it('a due pod is not evicted from rows of another incarnation, and its message is counted', async () => {
    const { world, evictAll } = await due();
    world.api.live.uid = 'uid-of-the-next';
    await evictAll();
    expect(world.api.deletes).toEqual([]);
    expect(world.metrics.get('OtherIncarnation')).toBeGreaterThan(0);
  });

  it('a due pod is evicted one second after its incarnation has replaced one that was read before', async () => {
    const { world, evictAll } = await due();
    const own = world.api.live.uid;
    world.api.live.uid = 'uid-of-the-one-before';
    await evictAll();
    expect(world.api.deletes).toEqual([]);
    world.api.live.uid = own;
    world.setNow(start + 1000);
    await evictAll();
    expect(world.api.deletes.map(({ pod }) => pod.name)).toEqual(['pod']);
  });

  it('a due pod is not evicted when its cluster is replaced after the message was accepted', async () => {
    const { world, evictAll } = await due();
    const { live } = world.api;
    const asked = live.incarnation;
    let calls = 0;
    // The first answer is the one that accepts the message.
    live.incarnation = async () => (calls++ === 0 ? asked() : { kind: 'Found', incarnation: 'uid-of-the-next' });
    world.setNow(start + 100);
    await world.deps
      .accessTo(clusterNameOf(world.cluster))
      ?.shared.read('incarnation', { maxAge: 0 }, live.incarnation);
    world.setNow(start + 1000);
    await evictAll();
    expect(calls).toBeGreaterThan(1);
    expect(world.api.deletes).toEqual([]);
  });
});

describe('messages of another incarnation', () => {
  it('a message of another incarnation writes no status and deletes no pod', async () => {
    const { world } = await due();
    const cluster = clusterIdOf(clusterNameOf(world.cluster), 'uid-of-the-one-before');
    await evict(world.deps, { cluster, limiter: 'rule|uid-bad' });
    await report(world.deps, { cluster, rule: 'bad' });
    expect(world.metrics.get('OtherIncarnation')).toBe(2);
    expect(world.api.rules.get('bad')?.conditions).toEqual([]);
    expect(world.api.deletes).toEqual([]);
  });
});
