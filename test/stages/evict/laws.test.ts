// The evict stage with concurrent invocations on one limiter, and under interruptions.
import { describe, expect, it } from 'vitest';
import { createMemory } from '../../../lib/memory.ts';
import { removePause, setPause } from '../../../lib/state/pauseRows.ts';
import { readPod } from '../../../lib/state/podRows.ts';
import { type Around, aroundCalls } from '../../support/around.ts';
import { aClaim, aPacedRule, deleted, nextVersion } from '../../support/objects.ts';
import { evictionPolicy } from '../../support/pacedBuilders.ts';
import { type PacedWorld, pacedWorld, start } from '../../support/pacedWorld.ts';

const pods = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, {}]));
const limiter = 'rule|uid-r|example.com/bad|NoExecute';
const at = (perSecond: number, burst = 1) => ({
  taints: [{ key: 'example.com/bad', effect: 'NoExecute', evictionsPerSecond: perSecond, burst }],
});
const seconds = ({ world }: PacedWorld) => world.api.deletes.map((one) => (one.at - start) / 1000);
const evictNow = ({ world }: PacedWorld) =>
  world.messages.push({ stage: 'evict', at: world.now(), body: { cluster: world.cluster, limiter } });
const records = ({ world }: PacedWorld) => world.table.rows().filter(({ pk }) => pk.includes('#RECORD#'));

/** Lists the pods of a rule, and leaves no message in flight that would evict them. */
async function listed(paced: PacedWorld, rate: number): Promise<void> {
  const scope = { table: paced.world.table, cluster: paced.world.cluster };
  await setPause(scope, { name: 'x', why: '', since: start });
  await paced.write(aPacedRule('r', at(rate)));
  await paced.run(3);
  await removePause(scope, 'x');
  paced.world.messages.length = 0;
  await paced.run(1);
}

/** The same steps in another process. */
function another({ world }: PacedWorld, around: Around = (_, call) => call()) {
  return { ...world.deps, memory: createMemory(), table: aroundCalls(world.table, around) };
}

describe('limiters', () => {
  it('a limiter at 0.001 a second whose rate is edited twenty times a minute evicts one pod, not twenty', async () => {
    const paced = await pacedWorld(pods(40));
    for (let i = 0; i < 20; i++) {
      await paced.write(aPacedRule('r', { generation: i + 1, ...at(i % 2 ? 0.001 : 0.0011) }));
      await paced.run(3);
    }
    expect(paced.gone()).toHaveLength(1);
  });

  it('a limiter whose rule is deleted and created again under its name keeps its bucket', async () => {
    const paced = await pacedWorld(pods(5));
    await paced.write(aPacedRule('r', at(0.01)));
    await paced.run(5);
    expect(paced.gone()).toHaveLength(1);
    const old = paced.live('r') ?? aPacedRule('r');
    paced.world.api.rules.delete('PacedTaintRule/r');
    await paced.ingest(deleted({ ...old, resourceVersion: nextVersion() }));
    await paced.write(aPacedRule('r', { ...at(0.01), uid: 'uid-again' }));
    await paced.run(60);
    expect(paced.gone()).toHaveLength(1);
    await paced.run(60);
    expect(paced.gone()).toHaveLength(2);
  });

  it('a slow limiter evicts at its new rate at once after an edit', async () => {
    const paced = await pacedWorld(pods(20));
    await paced.write(aPacedRule('r', at(0.01)));
    await paced.run(10);
    await paced.write(aPacedRule('r', { ...at(5), generation: 2 }));
    await paced.run(5);
    expect(paced.gone()).toHaveLength(20);
  });

  it('a limiter stops within a second of a pause, and evicts the rest within a minute of its end', async () => {
    const paced = await pacedWorld(pods(100));
    const { table, cluster } = paced.world;
    await paced.write(aPacedRule('r', at(10)));
    await paced.run(3);
    await setPause({ table, cluster }, { name: 'x', why: '', since: start });
    await paced.run(20);
    expect(Math.max(...seconds(paced))).toBeLessThanOrEqual(4);
    await removePause({ table, cluster }, 'x');
    await paced.run(60);
    expect(paced.gone()).toHaveLength(100);
  });

  it('a limiter that two invocations process evicts no faster, and deletes no pod twice', async () => {
    const paced = await pacedWorld(pods(40));
    await paced.write(aPacedRule('r', at(2)));
    // The lease is lost at every renewal, as if its holder had been frozen.
    for (let i = 0; i < 6; i++) {
      for (const row of paced.world.table.rows().filter(({ sk }) => sk === limiter))
        await paced.world.table.write({ kind: 'Update', key: row, change: { set: { leaseUntil: 0 } } });
      evictNow(paced);
      await paced.run(3);
    }
    const gone = seconds(paced);
    expect(gone.length).toBeGreaterThan(25);
    expect(gone.length).toBeLessThanOrEqual(1 + 2 * 19);
    expect(new Set(paced.gone()).size).toBe(gone.length);
    for (const [i, second] of gone.entries()) expect(second).toBeGreaterThanOrEqual((i - 1) / 2);
  });

  it('a limiter leaves one record for each delete, closed with the token that was used', async () => {
    const paced = await pacedWorld(pods(12));
    await paced.write(aPacedRule('r', at(10, 5)));
    await paced.run(5);
    expect(records(paced)).toHaveLength(12);
    for (const { outcome, token, attempts } of records(paced))
      expect({ outcome, token, attempts }).toMatchObject({ outcome: 'Evicted', token: { limiter }, attempts: 1 });
    expect(records(paced).filter(({ due }) => due !== undefined)).toEqual([]);
    const ledger = (await readPod({ table: paced.world.table, cluster: paced.world.cluster }, 'default/p0'))?.ledger;
    expect(ledger).toMatchObject({ state: 'Evicted' });
    expect(ledger).not.toHaveProperty('token');
  });

  it('a limiter at one pod in five seconds holds no invocation between its pods', async () => {
    const paced = await pacedWorld(pods(6));
    await paced.write(aPacedRule('r', at(0.2)));
    await paced.run(3);
    const [row] = paced.world.table.rows().filter(({ sk }) => sk === limiter);
    expect(row).not.toHaveProperty('leaseUntil');
    await paced.run(25);
    expect(paced.gone()).toHaveLength(6);
  });
});

describe('tokens', () => {
  it('a token of a pod that no longer needs it is used by the next pod', async () => {
    const paced = await pacedWorld(pods(3));
    await listed(paced, 0.01);
    // The claim is no longer reserved for p0, which the watcher has not reported yet.
    paced.world.api.live.put({ ...aClaim('p0', 'x', { reservedFor: [] }), resourceVersion: nextVersion() });
    evictNow(paced);
    await paced.run(3);
    expect(paced.gone()).toHaveLength(1);
    expect(paced.gone()).not.toContain('p0');
  });

  it('a token taken by an invocation that ended is lost, and all pods are evicted within 75 seconds', async () => {
    const paced = await pacedWorld(pods(4));
    await listed(paced, 1);
    const ends = another(paced, async (name, call) => {
      if (name === 'transact') throw new Error('the function ends');
      return call();
    });
    const message = { stage: 'evict', at: paced.world.now(), body: { cluster: paced.world.cluster, limiter } } as const;
    await expect(paced.world.deliver(message, ends)).rejects.toThrow('the function ends');
    expect(paced.gone()).toEqual([]);
    await paced.run(75);
    expect(paced.gone()).toHaveLength(4);
  });
});

describe('evictions of a pod', () => {
  it('a pod whose DELETE is answered with 429 backs off behind other pods, and is evicted once the API server accepts', async () => {
    const paced = await pacedWorld(pods(6));
    const { world } = paced;
    const { evictor } = world.api;
    let [isBroken, asked] = [true, 0];
    Object.assign(world.api, {
      evictor: {
        ...evictor,
        async delete(pod: { name: string; namespace: string; uid: string }, grace?: number) {
          if (!isBroken || !['p0', 'p1'].includes(pod.name)) return evictor.delete(pod, grace);
          asked++;
          return { kind: 'RetryLater', after: 1000, why: 'a webhook is slow', status: 429 } as const;
        },
      },
    });
    await paced.write(aPacedRule('r', at(1)));
    await paced.run(30);
    expect(paced.gone()).toEqual(['p2', 'p3', 'p4', 'p5']);
    expect(asked).toBeLessThan(10);
    isBroken = false;
    await paced.run(120);
    expect(paced.gone()).toHaveLength(6);
  });

  it('a pod whose DELETE had no answer is settled from the live pod, and is not deleted again', async () => {
    const paced = await pacedWorld(pods(1));
    paced.world.api.unheardDeletes = 1;
    await paced.write(aPacedRule('r', at(1)));
    await paced.run(150);
    expect(paced.gone()).toEqual(['p0']);
    expect(records(paced)).toMatchObject([
      { outcome: 'OutcomeUnknown', attempts: 1, why: expect.stringContaining('interrupted') },
    ]);
  });

  it('a pod whose eviction an ended process left open is evicted after the lease, in a second attempt', async () => {
    const paced = await pacedWorld(pods(1));
    await listed(paced, 1);
    const { evictor } = paced.world.api;
    const frozen = {
      ...another(paced),
      accessTo: () => ({ ...paced.world.api, evictor: { ...evictor, mark: () => new Promise<never>(() => {}) } }),
    };
    const message = { stage: 'evict', at: paced.world.now(), body: { cluster: paced.world.cluster, limiter } } as const;
    void paced.world.deliver(message, { ...frozen, clock: { ...frozen.clock, sleep: () => new Promise(() => {}) } });
    await paced.run(10);
    expect(records(paced)).toMatchObject([{ outcome: 'Open' }]);
    await paced.run(140);
    expect(paced.gone()).toEqual(['p0']);
    expect(records(paced)).toMatchObject([{ outcome: 'Evicted', attempts: 2 }]);
  });

  it('a pod under 130 limiters is listed at each, evicted once and counted for each, and leaves no listing and no intent', async () => {
    const paced = await pacedWorld(pods(1));
    const rows = (kind: string) => paced.world.table.rows().filter(({ pk }) => pk.includes(`#${kind}`));
    const write = (i: number, more: object) => {
      const taints = [{ key: `k${i}`, effect: 'NoExecute' as const, evictionsPerSecond: 1, burst: 1 }];
      return paced.write({ ...aPacedRule(`r${i}`, { taints, uid: `uid-r${i}` }), ...more });
    };
    for (let i = 1; i < 130; i++) await write(i, { paused: true });
    await paced.run(3);
    expect(rows('LIMITER#')).toHaveLength(129);
    await write(0, {});
    await paced.run(20);
    expect(paced.gone()).toEqual(['p0']);
    expect(records(paced)).toMatchObject([{ outcome: 'Evicted' }]);
    expect(rows('LIMITER#')).toEqual([]);
    expect(rows('RECORD#').filter(({ due }) => due !== undefined)).toEqual([]);
    expect(rows('TALLY').map(({ evicted }) => evicted)).toEqual(Array.from({ length: 130 }, () => 1));
  });
});

describe('canary permits', () => {
  it('a canary pod whose eviction is refused returns its permit', async () => {
    const paced = await pacedWorld(pods(5));
    paced.world.api.failures.push({ kind: 'Refused', why: 'forbidden' });
    await paced.ask(evictionPolicy({ canary: { pods: 2, hold: 10_000 } }));
    await paced.write(aPacedRule('r', at(10)));
    await paced.run(8);
    expect(paced.gone().length).toBeLessThanOrEqual(2);
    await paced.run(120);
    expect(paced.gone()).toHaveLength(5);
  });
});
