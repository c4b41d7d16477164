// What becomes of a pod whose evictor comes after its slot: it takes what the limiter has at that moment, and never more.
import { describe, expect, it } from 'vitest';
import type { PodEvictor } from '../../lib/ports.ts';
import { setPause } from '../../lib/state/pauseRows.ts';
import { readPod } from '../../lib/state/podRows.ts';
import type { ClusterStepDependencies } from '../../lib/steps/step.ts';
import { usableReservation } from '../../lib/steps/usableSlot.ts';
import { aClaim, aHeartbeat, aPod, aRule, driver, upserted } from '../support/objects.ts';
import { evictionPolicy } from '../support/pacedBuilders.ts';
import { type PacedWorld, pacedWorld, start } from '../support/pacedWorld.ts';

const names = ['p0', 'p1', 'p2'] as const;

/** All pods have slots, and their evictors' messages are `late` milliseconds behind the last of them. */
async function passed(by: {
  rate: number;
  burst: number;
  late: number;
  policy?: Parameters<typeof evictionPolicy>[0];
}) {
  const paced = await pacedWorld(Object.fromEntries(names.map((name) => [name, {}])));
  const { world } = paced;
  if (by.policy) {
    const controller = { apiVersion: 'batch/v1', kind: 'Job', name: 'job', uid: 'job' };
    await paced.ingest(...names.map((name) => upserted(aPod(name, { controller }))));
    await paced.ask(evictionPolicy(by.policy));
  }
  const annotations = { 'sluice.dev/evictions-per-second': `${by.rate}`, 'sluice.dev/burst': `${by.burst}` };
  const rule = aRule('r', start, { annotations });
  world.api.rules.set('r', { rule, conditions: [] });
  await paced.ingest(upserted(rule));
  await deliver(paced, 'pace');
  world.setNow(world.now() + by.late);
  await paced.ingest(aHeartbeat(world.now()));
  return paced;
}

/** The messages of one stage as they stand in its queue. */
async function deliver({ world }: PacedWorld, stage: 'pace' | 'evict', as = world.deps): Promise<void> {
  const mine = world.messages.filter((one) => one.stage === stage);
  for (const message of mine) {
    world.messages.splice(world.messages.indexOf(message), 1);
    await world.deliver(message, as);
  }
}

/** An evictor that is stopped for three seconds after its first PATCH, while `meanwhile` happens. */
function heldUp({ world }: PacedWorld, meanwhile: () => Promise<unknown> = async () => {}): ClusterStepDependencies {
  const access = world.deps.accessTo(world.cluster);
  if (!access) throw new Error('no cluster');
  let stops = 1;
  const mark: PodEvictor['mark'] = async (...args) => {
    const answer = await access.evictor.mark(...args);
    if (stops-- <= 0) return answer;
    world.setNow(world.now() + 3000);
    await meanwhile();
    return answer;
  };
  return { ...world.deps, accessTo: () => ({ ...access, evictor: { ...access.evictor, mark } }) };
}

function tolerating(name: string) {
  const tolerations = [{ operator: 'Exists', effect: 'NoExecute' }];
  return aClaim(name, name, {
    allocation: { devices: [{ request: 'gpu', driver, pool: 'node-1', device: name, tolerations }] },
  });
}

const records = ({ world }: PacedWorld) => world.table.rows().filter(({ pk }) => pk.includes('#RECORD#'));

const paceMessages = ({ world }: PacedWorld) => world.messages.filter(({ stage }) => stage === 'pace').length;

describe('a pod whose slot has passed', () => {
  it('goes at once on a slot that the limiter has at that moment, without another round', async () => {
    const paced = await passed({ rate: 10, burst: 10, late: 5000 });
    await deliver(paced, 'evict');
    expect(paced.gone()).toEqual([...names]);
    expect(paceMessages(paced)).toBe(0);
    expect(records(paced).map(({ reservation }) => reservation)).toEqual(
      names.map(() => expect.objectContaining({ reservedAt: start + 5000 })),
    );
  });

  it('waits for another where the limiter has none, as many as the burst go', async () => {
    const paced = await passed({ rate: 0.01, burst: 3, late: 101_000 });
    await deliver(paced, 'evict');
    // In 101 seconds one slot has come.
    expect(paced.gone()).toHaveLength(1);
    expect(paceMessages(paced)).toBeGreaterThanOrEqual(2);
    await paced.run(98);
    expect(paced.gone()).toHaveLength(1);
    await paced.run(140);
    expect(paced.gone()).toEqual([...names]);
  });

  it('keeps the pod while everything is paused, and costs no slot', async () => {
    const paced = await passed({ rate: 0.01, burst: 3, late: 301_000 });
    const bucket = () => paced.world.table.rows().find(({ tat }) => tat !== undefined)?.tat;
    const before = bucket();
    await setPause(
      { table: paced.world.table, cluster: paced.world.cluster },
      { name: 'audit', why: '', since: start },
    );
    await deliver(paced, 'evict');
    expect(paced.gone()).toEqual([]);
    expect(before).toBeDefined();
    expect(bucket()).toBe(before);
  });

  it.each([
    ['of the pace in force has another', {}, true],
    ['of a pace before has none: only the pacer sees that a change mints no burst', { pace: '9|9' }, false],
    ['of a rule before its edit has none', { epoch: 7 }, false],
  ])('a slot %s', async (_, changed, isUsable) => {
    const { world } = await passed({ rate: 10, burst: 3, late: 5000 });
    const state = { table: world.table, cluster: world.cluster };
    const reservation = (await readPod(state, 'default/p0'))?.ledger?.reservation;
    expect(reservation).toBeDefined();
    if (!reservation) return;
    const now = world.now();
    const again = await usableReservation(world.deps, state, { reservation: { ...reservation, ...changed }, now });
    expect(again).toEqual(isUsable ? { ...reservation, slot: expect.any(Number), reservedAt: now } : undefined);
  });

  it('goes without another slot where there is no pace to keep', async () => {
    const paced = await passed({ rate: 10_000, burst: 3, late: 60_000 });
    const bucket = () => paced.world.table.rows().find(({ tat }) => tat !== undefined)?.tat;
    const before = bucket();
    await deliver(paced, 'evict');
    expect(paced.gone()).toEqual([...names]);
    expect(before).toBeDefined();
    expect(bucket()).toBe(before);
  });

  it('goes to the pacer where its workload goes on one slot', async () => {
    const paced = await passed({
      rate: 10,
      burst: 10,
      late: 5000,
      policy: { groupBy: 'Workload' },
    });
    await deliver(paced, 'evict');
    expect(paced.gone()).toEqual([]);
    expect(paceMessages(paced)).toBeGreaterThan(0);
    await paced.run(3);
    expect(paced.gone()).toEqual([...names]);
  });
});

describe('an evictor that is held up between its intent and its DELETE', () => {
  const inTime = { rate: 1, burst: 3, late: 0 };

  it('goes on by another slot, which is the one on record', async () => {
    const paced = await passed({ ...inTime, rate: 10 });
    await deliver(paced, 'evict', heldUp(paced));
    expect(paced.gone()).toEqual([...names]);
    expect(paceMessages(paced)).toBe(0);
    const at = records(paced).map(({ reservation }) => (reservation as { reservedAt: number }).reservedAt);
    expect(at.sort()).toEqual(names.map(() => start + 3000));
    expect(records(paced).map(({ outcome, attempts }) => [outcome, attempts])).toEqual(names.map(() => ['Evicted', 1]));
  });

  it.each<[string, (paced: PacedWorld) => Promise<unknown>]>([
    ['the rule is deleted', async ({ world }) => world.api.rules.delete('r')],
    [
      'everything is paused',
      async ({ world: { table, cluster } }) => setPause({ table, cluster }, { name: 'audit', why: '', since: start }),
    ],
    [
      'the pods come to tolerate the taint',
      async (paced) => paced.ingest(...names.map((name) => upserted(tolerating(name)))),
    ],
  ])('deletes nobody where meanwhile %s', async (_, meanwhile) => {
    const paced = await passed({ ...inTime, rate: 10 });
    await deliver(
      paced,
      'evict',
      heldUp(paced, () => meanwhile(paced)),
    );
    expect(paced.gone()).toEqual([]);
    // An intent whose pod's row has moved is settled by the sweep.
    await paced.run(90);
    expect(paced.gone()).toEqual([]);
    expect(records(paced).length).toBeGreaterThan(0);
    expect(records(paced).map(({ outcome }) => outcome)).toEqual(records(paced).map(() => 'Abandoned'));
  });

  it('gives its pod back where it is to go in another way now, and it goes in that way', async () => {
    const paced = await passed({ ...inTime, rate: 10 });
    await deliver(
      paced,
      'evict',
      heldUp(paced, () => paced.ask(evictionPolicy({ mode: 'Evict', modeDeadline: 3_600_000 }))),
    );
    await paced.run(90);
    expect(paced.gone()).toEqual([]);
    const answers = records(paced).map((row) => Object.keys((row.answers ?? {}) as object));
    expect(answers.some((ways) => ways.includes('eviction'))).toBe(true);
    expect(answers.some((ways) => ways.includes('delete'))).toBe(false);
  });

  it('gives its pod back where the limiter has no other slot', async () => {
    const paced = await passed({ ...inTime, rate: 0.01 });
    await deliver(paced, 'evict', heldUp(paced));
    expect(paced.gone()).toEqual([]);
    expect(paceMessages(paced)).toBeGreaterThan(0);
    await paced.run(310);
    expect(paced.gone()).toEqual([...names]);
  });
});

it('an evictor that has worked for long begins with nobody, and the message that comes back finds the others', async () => {
  const many = Array.from({ length: 20 }, (_, i) => `q${i}`);
  const paced = await pacedWorld(Object.fromEntries(many.map((name) => [name, {}])));
  const { world } = paced;
  const annotations = { 'sluice.dev/evictions-per-second': '10000', 'sluice.dev/burst': '10000' };
  const rule = aRule('r', start, { annotations });
  world.api.rules.set('r', { rule, conditions: [] });
  await paced.ingest(upserted(rule));
  for (const message of world.messages.filter(({ stage }) => stage === 'reconcile')) await world.deliver(message);
  const messages = world.messages.filter(({ stage }) => stage === 'evict');
  const slow = heldUp(paced, async () => world.setNow(world.now() + 22_000));
  const results = await Promise.allSettled(messages.map((message) => world.deliver(message, slow)));
  expect(results.some(({ status }) => status === 'rejected')).toBe(true);
  expect(paced.gone().length).toBeLessThan(many.length);
  world.setNow(world.now() + 30_000);
  await paced.ingest(aHeartbeat(world.now()));
  for (const message of messages) await world.deliver(message);
  await paced.run(90);
  expect(paced.gone()).toEqual([...many].sort());
});

describe('a queue whose messages to evictors always come late', () => {
  const many = Array.from({ length: 40 }, (_, i) => `p${String(i).padStart(2, '0')}`);
  const pods = Object.fromEntries(many.map((name) => [name, {}]));
  const annotations = { 'sluice.dev/evictions-per-second': '0.4', 'sluice.dev/burst': '1' };

  it.each([0, 1500, 3000, 4500])(
    'by %d ms: every pod goes once, within three times the time it takes at the pace',
    async (lag) => {
      const paced = await pacedWorld(pods, {}, undefined, lag);
      const rule = aRule('r', start, { annotations });
      paced.world.api.rules.set('r', { rule, conditions: [] });
      await paced.ingest(upserted(rule));
      await paced.run((3 * many.length) / 0.4);
      expect(paced.gone()).toEqual(many);
    },
  );
});

it('an evictor whose clock is put back while it sleeps waits for the slot all the same', async () => {
  const paced = await passed({ rate: 1, burst: 1, late: 0 });
  const { world } = paced;
  const message = world.messages.find(({ stage, at }) => stage === 'evict' && at > start);
  if (message?.stage !== 'evict') throw new Error('no message for a slot ahead');
  const sleeps: number[] = [];
  const sleep = async (duration: number) => {
    // Every time but the last one it wakes 300 ms before what it slept for.
    const early = sleeps.push(duration) < 3 ? 300 : 0;
    world.setNow(world.now() + duration - early);
  };
  const [task] = message.body.tasks;
  world.setNow((task?.slot ?? 0) - 900);
  await world.deliver(message, { ...world.deps, clock: { now: world.now, sleep } });
  expect(sleeps).toEqual([900, 300, 300]);
  expect(paced.gone()).toContain(task?.pod.name);
});
