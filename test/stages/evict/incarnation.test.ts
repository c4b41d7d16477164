// Rows of another incarnation than the API server has evict nothing, although the live cluster asks for the very same eviction.
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

describe('a pod that the live cluster asks to evict', () => {
  it('is evicted from rows of its incarnation', async () => {
    const { world, evictAll } = await due();
    await evictAll();
    expect(world.api.deletes.map(({ pod }) => pod.name)).toEqual(['pod']);
  });

  it('is not evicted from rows of another one, and the message is dropped and counted', async () => {
    const { world, evictAll } = await due();
    world.api.live.uid = 'uid-of-the-next';
    await evictAll();
    expect(world.api.deletes).toEqual([]);
    expect(world.metrics.get('OtherIncarnation')).toBeGreaterThan(0);
  });

  it('is evicted at once where the cluster was made again under its name a second ago, and the one before is remembered', async () => {
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

  it('is not evicted either when the cluster is replaced after the message was accepted', async () => {
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

describe('a message about another incarnation', () => {
  it('writes no status and deletes nothing', async () => {
    const { world } = await due();
    const cluster = clusterIdOf(clusterNameOf(world.cluster), 'uid-of-the-one-before');
    await evict(world.deps, { cluster, limiter: 'rule|uid-bad' });
    await report(world.deps, { cluster, rule: 'bad' });
    expect(world.metrics.get('OtherIncarnation')).toBe(2);
    expect(world.api.rules.get('bad')?.conditions).toEqual([]);
    expect(world.api.deletes).toEqual([]);
  });
});
