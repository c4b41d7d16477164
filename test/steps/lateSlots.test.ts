// What becomes of a pod whose evictor comes after its slot: it takes what the limiter has at that moment, and never more.
import { describe, expect, it } from 'vitest';
import { setPause } from '../../lib/state/pauseRows.ts';
import { aHeartbeat, aPod, aRule, upserted } from '../support/objects.ts';
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
async function deliver({ world }: PacedWorld, stage: 'pace' | 'evict'): Promise<void> {
  const mine = world.messages.filter((one) => one.stage === stage);
  for (const message of mine) {
    world.messages.splice(world.messages.indexOf(message), 1);
    await world.deliver(message);
  }
}

const paceMessages = ({ world }: PacedWorld) => world.messages.filter(({ stage }) => stage === 'pace').length;

describe('a pod whose slot has passed', () => {
  it('goes at once on a slot that the limiter has at that moment, without another round', async () => {
    const paced = await passed({ rate: 10, burst: 10, late: 5000 });
    await deliver(paced, 'evict');
    expect(paced.gone()).toEqual([...names]);
    expect(paceMessages(paced)).toBe(0);
    const slots = paced.world.table
      .rows()
      .flatMap(({ pk, reservation }) => (pk.includes('#RECORD#') ? [reservation] : []));
    expect(slots).toEqual(names.map(() => expect.objectContaining({ reservedAt: start + 5000 })));
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
