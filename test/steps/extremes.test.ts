// The largest sizes around one pod that Kubernetes allows: a pool of 12,800 devices, and a pod that 500 rules taint.
import { describe, expect, it } from 'vitest';
import { ruleRef } from '../../lib/model/rule.ts';
import { readPod } from '../../lib/state/podRows.ts';
import { readWhy, renderWhy } from '../../lib/view/why.ts';
import {
  aClaim,
  aHeartbeat,
  aPacedRule,
  aPod,
  aRule,
  aSlice,
  aTaintSlice,
  driver,
  upserted,
} from '../support/objects.ts';
import { createWorld } from '../support/world.ts';

const start = 1_800_000_060_000;

/** A DynamoDB item has at most 400 KB. */
const largestRow = 400 * 1024;

/** The number of table calls, and the most rows that one of them returned. */
function counting() {
  const counted = { calls: 0, most: 0 };
  const world = createWorld({
    start,
    around: async (name, call) => {
      const answer = await call();
      if (/^(get|query|write|transact)/.test(name)) counted.calls++;
      const rows = name === 'query' ? (answer as { rows: readonly unknown[] }).rows.length : 0;
      counted.most = Math.max(counted.most, rows);
      return answer;
    },
  });
  return { world, counted };
}

const largestOf = (rows: readonly object[]) => Math.max(...rows.map((row) => Buffer.byteLength(JSON.stringify(row))));

describe('a pod under many limiters', () => {
  async function evictedUnder(limiters: number, nameLength: number) {
    const { world, counted } = counting();
    const rules = Array.from({ length: limiters }, (_, i) => {
      const name = `rule-${String(i).padStart(4, '0')}-`.padEnd(nameLength, 'x');
      return aRule(name, start, { uid: `0f8fad5b-d9cb-469f-a165-70867728${String(i).padStart(4, '0')}` });
    });
    for (const rule of rules) world.api.rules.set(rule.name, { rule, conditions: [] });
    world.api.pods.set('default/pod', { uid: 'uid-pod', terminating: false, marked: false });
    const objects = [aSlice('slice'), aClaim('pod', 'gpu-0'), aPod('pod'), ...rules];
    await world.deliver({ stage: 'ingest', at: start, body: [aHeartbeat(start)] });
    for (let i = 0; i < objects.length; i += 100)
      await world.deliver({ stage: 'ingest', at: start, body: objects.slice(i, i + 100).map((one) => upserted(one)) });
    counted.calls = 0;
    let largest = 0;
    for (let second = 1; second <= 60; second++) {
      await world.runUntil(start + second * 1000);
      largest = Math.max(largest, largestOf(world.table.rows()));
    }
    return { deletes: world.api.deletes.length, largest, calls: counted.calls / limiters };
  }

  it('a pod under 500 rules with the longest names is deleted once, and no row exceeds the size of an item', async () => {
    const found = await evictedUnder(500, 253);
    expect(found.deletes).toBe(1);
    expect(found.largest).toBeLessThan(largestRow);
  });

  it('a pod costs as many table calls for each of 500 limiters as for each of 100', async () => {
    const [few, many] = [await evictedUnder(100, 20), await evictedUnder(500, 20)];
    expect(many.calls).toBeLessThanOrEqual(few.calls * 1.05);
  });
});

describe('a pool of many devices', () => {
  const perSlice = 128;

  async function evictedFrom(devices: number) {
    const { world, counted } = counting();
    const slices = Array.from({ length: devices / perSlice }, (_, i) =>
      aSlice(`slice-${i}`, {
        pool: { name: 'large', generation: 1, resourceSliceCount: devices / perSlice },
        devices: Array.from({ length: perSlice }, (_, d) => ({
          name: `gpu-${i * perSlice + d}`,
          attributes: { model: { string: 'a'.repeat(60) }, index: { int: String(d) } },
        })),
      } as never),
    );
    const claims = Array.from({ length: 100 }, (_, i) =>
      aClaim(`p${i}`, '', {
        allocation: { devices: [{ request: 'r', driver, pool: 'large', device: `gpu-${i * (devices / 100)}` }] },
      }),
    );
    for (const i of claims.keys())
      world.api.pods.set(`default/p${i}`, { uid: `uid-p${i}`, terminating: false, marked: false });
    const objects = [...slices, ...claims, ...claims.map((_, i) => aPod(`p${i}`))];
    await world.deliver({ stage: 'ingest', at: start, body: [aHeartbeat(start)] });
    for (let i = 0; i < objects.length; i += 100)
      await world.deliver({ stage: 'ingest', at: start, body: objects.slice(i, i + 100).map((one) => upserted(one)) });
    await world.runUntil(start + 1000);
    const annotations = { 'sluice.dev/evictions-per-second': '100', 'sluice.dev/burst': '100' };
    const rule = aRule('large', start, { annotations, deviceSelector: { driver, pool: 'large' } });
    world.api.rules.set('large', { rule, conditions: [] });
    counted.calls = 0;
    await world.deliver({ stage: 'ingest', at: world.now(), body: [upserted(rule)] });
    await world.runUntil(start + 50_000);
    return { deletes: world.api.deletes.length, largest: largestOf(world.table.rows()), ...counted };
  }

  it('evicting a hundred pods from a pool of 12,800 devices takes as many table calls as from one of 1,280', async () => {
    const [small, large] = [await evictedFrom(1280), await evictedFrom(12_800)];
    expect(large.deletes).toBe(100);
    expect(large.largest).toBeLessThan(largestRow);
    expect(large.calls).toBeLessThanOrEqual(small.calls * 1.1);
  });
});

describe('a pod with more reasons than its row has room for', () => {
  const description = 'd'.repeat(1024);
  const seen = { effect: 'NoExecute', timeAdded: start - 1000 } as const;
  const devices = Array.from({ length: 128 }, (_, i) => `gpu-instance-${i}`);
  const claimOf = (held: readonly string[], i: number) =>
    aClaim('pod', '', {
      name: `claim-${i}`,
      uid: `uid-claim-${i}`,
      allocation: {
        devices: held.map((device, j) => ({ request: `r${j}`, driver, pool: 'node-1', device, tolerations: [] })),
      },
    });

  async function told(objects: readonly Parameters<typeof upserted>[0][]) {
    const { world } = counting();
    world.api.pods.set('default/pod', { uid: 'uid-pod', terminating: false, marked: false });
    const resourceClaims = [0, 1, 2, 3].map((i) => ({ name: `gpu${i}`, resourceClaimName: `claim-${i}` }));
    const claims = [0, 1, 2, 3].map((i) => claimOf(devices.slice(i * 32, i * 32 + 32), i));
    let largest = 0;
    const look = () => {
      largest = Math.max(largest, largestOf(world.table.rows()));
    };
    for (const object of [...claims, aPod('pod', { resourceClaims }), ...objects]) {
      if (object.kind === 'PacedTaintRule') world.api.rules.set(ruleRef(object), { rule: object, conditions: [] });
      await world.deliver({ stage: 'ingest', at: start, body: [aHeartbeat(start), upserted(object)] });
      look();
    }
    const state = { table: world.table, cluster: world.cluster };
    const { ledger } = (await readPod(state, 'default/pod')) ?? {};
    const why = renderWhy('default/pod', await readWhy(state, 'default/pod', start));
    for (let second = 1; second <= 10; second++) {
      await world.runUntil(start + second * 1000);
      look();
    }
    return { deletes: world.api.deletes.length, largest, ledger, why, state };
  }

  it('a pod whose driver sets 16 taints on each of 128 devices is deleted, and its row fits and says how many taints it left out', async () => {
    const taints = Array.from({ length: 16 }, (_, i) => ({ key: `example.com/condition-${i}`, ...seen }));
    const slice = aSlice('slice', { devices: devices.map((name) => ({ name, taints })) });
    const found = await told([slice]);
    expect(found.largest).toBeLessThan(largestRow);
    expect(found.deletes).toBe(1);
    expect(found.ledger?.listings).toHaveLength(16);
    expect(found.why).toContain('  and 1920 more taints of its devices');
    expect(renderWhy('uid-pod', await readWhy(found.state, 'uid-pod', start))).toContain(
      '  and 1920 more taints of its devices',
    );
  });

  it('a pod whose 128 devices an agent taints in a DeviceTaintSlice each is deleted, and its row fits', async () => {
    const keys = Array.from({ length: 8 }, (_, i) => `example.com/xid-${i}`);
    const slices = devices.map((device) =>
      aTaintSlice(`taints-of-${device}`, {
        taints: keys.map((key) => ({ device, taint: { key, ...seen, description } })),
        seen: keys.map((key) => ({ device, key, ...seen, specTimeAdded: seen.timeAdded })),
      }),
    );
    const found = await told([aSlice('slice', { devices: devices.map((name) => ({ name })) }), ...slices]);
    expect(found.largest).toBeLessThan(largestRow);
    expect(found.deletes).toBe(1);
  });

  it('a pod under 512 taints with a description each of PacedTaintRules is listed at each, and its row fits', async () => {
    const rules = Array.from({ length: 64 }, (_, r) => {
      const keys = Array.from({ length: 8 }, (_, i) => `example.com/bad-${r}-${i}`);
      const taints = keys.map((key) => ({ key, effect: 'NoExecute' as const, description }));
      return aPacedRule(`rule-${r}`, { taints, seen: keys.map((key) => ({ key, ...seen })) });
    });
    const found = await told([aSlice('slice', { devices: devices.map((name) => ({ name })) }), ...rules]);
    expect(found.largest).toBeLessThan(largestRow);
    expect(found.deletes).toBe(1);
    expect(found.ledger?.listings).toHaveLength(512);
  });
});
