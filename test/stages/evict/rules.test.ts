// Safety rules of an eviction under concurrent changes: times of tokens, age of reads, and leases.
import { describe, expect, it } from 'vitest';
import { aPacedRule } from '../../support/objects.ts';
import { evictionPolicy } from '../../support/pacedBuilders.ts';
import { type PacedWorld, pacedWorld } from '../../support/pacedWorld.ts';

const pods = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, {}]));
const at = (perSecond: number) => ({
  taints: [{ key: 'example.com/bad', effect: 'NoExecute', evictionsPerSecond: perSecond, burst: 1 }],
});
const times = ({ world }: PacedWorld) => world.api.deletes.map((one) => one.at);
const states = ({ world }: PacedWorld) =>
  world.table.rows().flatMap(({ ledger }) => (ledger as { state: string } | undefined)?.state ?? []);

it('a limiter sends no DELETE before the time of its token, even when it takes several tokens at once', async () => {
  const paced = await pacedWorld(pods(40));
  await paced.write(aPacedRule('r', at(10)));
  await paced.run(6);
  const [first = 0, ...later] = times(paced);
  expect(later).toHaveLength(39);
  for (const [i, time] of later.entries()) expect(time - first).toBeGreaterThanOrEqual((i + 1) * 100);
});

it('a limiter keeps the rate of a policy that the API server has and the table lacks', async () => {
  const paced = await pacedWorld(pods(20));
  const policy = evictionPolicy({ evictionsPerSecond: 0.1, burst: 1 });
  paced.world.api.policyObjects.set(policy.name, { policy, conditions: [] });
  await paced.write(aPacedRule('r', { taints: [{ key: 'example.com/bad', effect: 'NoExecute' }] }));
  await paced.run(25);
  expect(paced.gone().length).toBeGreaterThanOrEqual(2);
  expect(paced.gone().length).toBeLessThanOrEqual(3);
});

describe('DELETE requests', () => {
  it('a DELETE requires reads younger than a second, so that a rule deleted in the meantime keeps the pod', async () => {
    const paced = await pacedWorld(pods(2));
    const { world } = paced;
    const mark = world.api.evictor.mark.bind(world.api.evictor);
    let marks = 0;
    Object.assign(world.api.evictor, {
      mark: async (...of: Parameters<typeof mark>) => {
        const answer = await mark(...of);
        if (++marks < 2) return answer;
        // The reads that it shares with the first pod are 0.4 s old, and its token may be used for 0.8 s.
        world.api.rules.delete('PacedTaintRule/r');
        world.setNow(world.now() + 700);
        return answer;
      },
    });
    // Rows that the table has had for a while are not read again around the shared reads.
    await paced.run(60);
    await paced.write(aPacedRule('r', at(2.5)));
    await paced.run(10);
    expect(marks).toBeGreaterThanOrEqual(2);
    expect(paced.gone()).toHaveLength(1);
  });

  it('a DELETE that is throttled puts its pod back at its limiter at once', async () => {
    const paced = await pacedWorld(pods(1));
    const { evictor } = paced.world.api;
    const carriesOut = evictor.delete;
    evictor.delete = async () => {
      evictor.delete = carriesOut;
      return { kind: 'RetryLater', after: 1000, why: 'too many requests', status: 429 };
    };
    await paced.write(aPacedRule('r', at(1)));
    await paced.run(5);
    expect(states(paced)).toEqual(['Pending']);
    expect(paced.world.table.rows().filter(({ pk }) => pk.includes('#LIMITER#'))).toHaveLength(1);
  });

  it('a DELETE is not sent for a pod whose ledger another step has written since it was read', async () => {
    const paced = await pacedWorld(pods(1));
    const { world } = paced;
    const read = world.api.live.slices.bind(world.api.live);
    let isCancelled = false;
    Object.assign(world.api.live, {
      slices: async (...of: Parameters<typeof read>) => {
        const answer = await read(...of);
        if (!isCancelled) {
          isCancelled = true;
          const [row] = world.table.rows().filter(({ ledger }) => ledger !== undefined);
          if (!row) throw new Error('there is no ledger');
          const ledger = { ...(row.ledger as object), state: 'Cancelled', listings: [] };
          const change = { set: { ledger }, add: { ver: 1 } };
          await world.table.write({ kind: 'Update', key: row, change });
        }
        return answer;
      },
    });
    await paced.write(aPacedRule('r', at(1)));
    await paced.run(5);
    expect(isCancelled).toBe(true);
    expect(paced.gone()).toEqual([]);
    expect(states(paced)).toEqual(['Cancelled']);
  });
});

it('an interrupted eviction is settled by one invocation at a time', async () => {
  const paced = await pacedWorld(pods(1));
  const { world } = paced;
  world.api.unheardDeletes = 1;
  await paced.write(aPacedRule('r', at(1)));
  await paced.run(40);
  const [intent] = world.table.rows().filter(({ pk }) => pk.includes('#RECORD#'));
  if (!intent) throw new Error('there is no intent');
  const settling = { stage: 'dueEvict', at: world.now(), body: { cluster: world.cluster, rows: [intent] } } as const;
  const { evictor } = world.api;
  const look = evictor.look.bind(evictor);
  let looks = 0;
  evictor.look = async (...of) => {
    if (++looks === 1) await world.deliver(settling);
    return look(...of);
  };
  await world.deliver(settling);
  expect(looks).toBe(1);
  expect(states(paced)).toEqual(['Gone']);
});
