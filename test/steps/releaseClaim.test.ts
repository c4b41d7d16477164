// Stale reservations through the sweep and the report stage: removed only when consumer and pods are known to be gone.
import { describe, expect, it } from 'vitest';
import type { Change } from '../../lib/model/change.ts';
import type { ConsumerReference, ResourceClaim } from '../../lib/model/objects.ts';
import type { Settings } from '../../lib/model/snapshot.ts';
import { aClaim, aHeartbeat, aPod, deleted, nextVersion, upserted } from '../support/objects.ts';
import { createWorld, type World } from '../support/world.ts';

const start = 1_800_000_000_000;
const job: ConsumerReference = { apiGroup: 'batch', resource: 'jobs', name: 'train', uid: 'job' };
const onePod: ConsumerReference = { resource: 'pods', name: 'x', uid: 'x' };

async function tell(world: World, ...changes: Change[]): Promise<void> {
  await world.deliver({ stage: 'ingest', at: world.now(), body: [aHeartbeat(world.now()), ...changes] });
}

/** A claim for a job, known to the table and the API server. */
async function reserved(settings: Partial<Settings> = { releaseStaleConsumers: true }): Promise<World> {
  const world = createWorld({ start, settings });
  const claim = aClaim('a', 'a', { reservedFor: [job, onePod] });
  await tell(world, upserted(claim));
  return world;
}

async function minutes(world: World, count: number): Promise<void> {
  for (let i = 0; i < count * 6; i++) {
    await world.runUntil(world.now() + 10_000);
    await tell(world);
  }
}

async function claimIn(world: World): Promise<ResourceClaim> {
  const read = await world.api.live.read('ResourceClaim', 'default/claim-a');
  if (read.kind !== 'Found') throw new Error('the claim is gone');
  return read.object;
}

const left = async (world: World) => (await claimIn(world)).reservedFor;

describe('a reservation of a consumer that is not a pod', () => {
  it('a reservation is removed once its consumer is gone, and entries of pods are kept', async () => {
    const world = await reserved();
    await minutes(world, 2);
    expect(await left(world)).toEqual([onePod]);
    expect(world.metrics.get('ReleasesWaiting')).toBeUndefined();
  });

  it('a reservation is removed when another object has its consumer’s name', async () => {
    const world = await reserved();
    world.api.consumerStates.set('default/jobs/train', { kind: 'Found', uid: 'successor' });
    await minutes(world, 2);
    expect(await left(world)).toEqual([onePod]);
  });

  it('a reservation is never removed by default', async () => {
    const world = await reserved({});
    await minutes(world, 2);
    expect(await left(world)).toEqual([job, onePod]);
    expect(world.table.rows().filter(({ pk }) => pk.includes('#RELEASE'))).toEqual([]);
  });

  it('a reservation is kept while its consumer exists', async () => {
    const world = await reserved();
    world.api.consumerStates.set('default/jobs/train', { kind: 'Found', uid: 'job' });
    await minutes(world, 2);
    expect(await left(world)).toEqual([job, onePod]);
  });

  it('a reservation is kept and counted while its consumer may not be read', async () => {
    const world = await reserved();
    world.api.consumerStates.set('default/jobs/train', { kind: 'Unknown', why: 'forbidden' });
    await minutes(world, 2);
    expect(await left(world)).toEqual([job, onePod]);
    expect(world.metrics.get('ReleasesWaiting')).toBeGreaterThan(0);
    world.api.consumerStates.delete('default/jobs/train');
    await minutes(world, 2);
    expect(await left(world)).toEqual([onePod]);
  });

  it('a reservation is kept while a pod refers to the claim, scheduled or not, and removed afterwards', async () => {
    const world = await reserved();
    const { nodeName: _, ...pod } = aPod('a');
    await tell(world, upserted(pod));
    await minutes(world, 2);
    expect(await left(world)).toEqual([job, onePod]);
    await tell(world, deleted(pod));
    await minutes(world, 2);
    expect(await left(world)).toEqual([onePod]);
  });

  it('a reservation is kept while a pod that the table does not have yet refers to the claim', async () => {
    const world = await reserved();
    world.api.live.put(aPod('a'));
    await minutes(world, 2);
    expect(await left(world)).toEqual([job, onePod]);
    world.api.live.drop('Pod', 'default/a');
    await minutes(world, 2);
    expect(await left(world)).toEqual([onePod]);
  });

  it('a reservation is kept when the claim changes between read and write, and removed by the next sweep', async () => {
    const world = await reserved();
    const found = await claimIn(world);
    const { consumers } = world.api;
    const find = consumers.find.bind(consumers);
    let moved = false;
    Object.assign(consumers, {
      find: async (namespace: string, reference: ConsumerReference) => {
        if (!moved) world.api.live.put({ ...found, resourceVersion: nextVersion() });
        moved = true;
        return find(namespace, reference);
      },
    });
    await world.runUntil(world.now() + 60_000);
    expect(moved).toBe(true);
    expect(await left(world)).toEqual([job, onePod]);
    await tell(world);
    await minutes(world, 2);
    expect(await left(world)).toEqual([onePod]);
  });
});

describe('an annotation that cannot be read', () => {
  const malformed = { annotations: { 'sluice.dev/reserved-for': '{' } };
  const events = (world: World) =>
    [...world.api.recorded.values()].filter(({ reason }) => reason === 'ReservedForMalformed');

  it('an unreadable annotation causes one Event, however often the claim changes, and another when it is edited', async () => {
    const world = createWorld({ start });
    for (let i = 0; i < 3; i++) await tell(world, upserted(aClaim('a', 'a', malformed)));
    await world.runUntil(world.now() + 1000);
    expect(events(world)).toHaveLength(1);
    expect(events(world)[0]).toMatchObject({
      type: 'Warning',
      regarding: { kind: 'ResourceClaim', namespace: 'default', name: 'claim-a', uid: 'uid-claim-a' },
    });
    expect(events(world)[0]?.message).toContain('is not a JSON object and is ignored');
    await tell(world, upserted(aClaim('a', 'a', { annotations: { 'sluice.dev/reserved-for': '[]' } })));
    await world.runUntil(world.now() + 1000);
    expect(events(world)).toHaveLength(2);
  });

  it('an unreadable annotation of a deleted claim causes no Event', async () => {
    const world = createWorld({ start });
    await tell(world, deleted(aClaim('a', 'a', malformed)));
    await world.runUntil(world.now() + 1000);
    expect(events(world)).toEqual([]);
  });
});
