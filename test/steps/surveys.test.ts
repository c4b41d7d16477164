// Counting a whole cluster takes no longer in one invocation however large the cluster is, and gives the same result in several.
import { describe, expect, it } from 'vitest';
import type { ConfiguredModes } from '../../lib/model/ownership.ts';
import { sweep } from '../../lib/stages/sweep/index.ts';
import { readModePlan } from '../../lib/state/modeRows.ts';
import { aClaim, aHeartbeat, aPod, aRule, aSlice, upserted } from '../support/objects.ts';
import { createWorld } from '../support/world.ts';

/** Lies in a minute in which no gauges are counted. */
const start = 1_800_000_060_000;
const gaugesAt = 1_800_000_600_000;
const sizes = [200, 2000];
const perNode = 10;
const teams = 7;
const driver = 'gpu.example.com';

function fleetOf(pods: number) {
  const namespace = (i: number) => `team-${i % teams}`;
  const node = (i: number) => `node-${Math.floor(i / perNode)}`;
  const device = (i: number) => ({ request: 'r', driver, pool: node(i), device: `gpu-${i % perNode}` });
  const all = Array.from({ length: pods }, (_, i) => i);
  const devices = Array.from({ length: perNode }, (_, d) => ({ name: `gpu-${d}` }));
  return [
    ...all
      .slice(0, pods / perNode)
      .map((i) => aSlice(`slice-${i}`, { pool: { name: `node-${i}`, generation: 1 }, devices })),
    ...all.map((i) => aClaim(`p${i}`, '', { namespace: namespace(i), allocation: { devices: [device(i)] } })),
    ...all.map((i) => aPod(`p${i}`, { namespace: namespace(i), nodeName: node(i) })),
  ];
}

/** A cluster whose pods all wait for a rule of rate 0. `run`: a sweep and its messages; returns the table calls of each invocation. */
async function clusterOf(pods: number, modes: () => ConfiguredModes = () => ({ native: 'own', paced: 'own' })) {
  const counts: number[] = [];
  const world = createWorld({
    start,
    modes,
    around: async (name, call) => {
      const last = counts.length - 1;
      if (last >= 0 && /^(get|query|write|transact)/.test(name)) {
        counts[last] = (counts[last] ?? 0) + 1;
        world.setNow(world.now() + 200);
      }
      return call();
    },
  });
  const rule = aRule('all', start, { annotations: { 'sluice.dev/evictions-per-second': '0' } });
  world.api.rules.set('all', { rule, conditions: [] });
  const objects = [...fleetOf(pods), rule];
  await world.deliver({ stage: 'ingest', at: start, body: [aHeartbeat(start)] });
  for (let i = 0; i < objects.length; i += 100)
    await world.deliver({ stage: 'ingest', at: start, body: objects.slice(i, i + 100).map((one) => upserted(one)) });
  await world.runUntil(start + 1000);
  const nextSlice = () => {
    const at = world.messages.findIndex((one) => one.stage === 'ingest' && JSON.stringify(one).includes('#SURVEY'));
    return at < 0 ? undefined : world.messages.splice(at, 1)[0];
  };
  const run = async (at: number, { isLost = false } = {}) => {
    world.setNow(at);
    counts.push(0);
    await sweep(world.depsOf('sweep'), world.cluster);
    for (let next = nextSlice(); next; next = nextSlice()) {
      if (isLost) continue;
      counts.push(0);
      await world.deliver(next);
    }
    return counts.splice(0);
  };
  return { world, run, state: { table: world.table, cluster: world.cluster } };
}

/** The calls of ten seconds and of the rest of a sweep; the second number includes concurrent reads around a page of pods. */
const [mostCalls, mostAround] = [100, 200];

describe('the gauges of a cluster', () => {
  const expected = (pods: number) => ({
    Rules: 1,
    TaintedDevices: pods,
    AllocatedTaintedDevices: pods,
    ClaimsWithTolerations: 0,
    PodsPending: pods,
    PodsHeld: pods,
  });

  it.each(sizes)('the gauges of %d pods are counted by invocations of bounded length', async (pods) => {
    const { world, run } = await clusterOf(pods);
    world.metrics.clear();
    const calls = await run(gaugesAt);
    expect(Object.fromEntries(world.metrics)).toMatchObject(expected(pods));
    expect(Math.max(...calls)).toBeLessThanOrEqual(mostCalls);
    expect(world.table.rows().filter(({ pk }) => pk.endsWith('#SURVEY'))).toEqual([]);
  });

  it('gauges are counted to the end even if the message that continues is lost', async () => {
    const { world, run } = await clusterOf(1000);
    world.metrics.clear();
    await run(gaugesAt, { isLost: true });
    expect(world.metrics.has('PodsHeld')).toBe(false);
    await run(gaugesAt + 120_000);
    expect(Object.fromEntries(world.metrics)).toMatchObject(expected(1000));
  });
});

describe('the plan of a source that is switched on', () => {
  it.each(sizes)('the mode plan of %d pods is counted by invocations of bounded length', async (pods) => {
    let native: ConfiguredModes['native'] = 'off';
    const { world, run, state } = await clusterOf(pods, () => ({ native, paced: 'own' }));
    await run(start + 60_000);
    native = 'own';
    const calls = await run(start + 120_000);
    // A chain of messages ends, and the sweep begins the next one.
    for (let i = 3; i < 12; i++) calls.push(...(await run(Math.max(world.now(), start + i * 60_000))));
    expect(await readModePlan(state, 'native')).toMatchObject({
      pods,
      namespaces: teams,
      origins: [{ origin: 'DeviceTaintRule all', pods }],
    });
    expect(Math.max(...calls)).toBeLessThanOrEqual(mostAround);
    expect(world.table.rows().filter(({ pk }) => pk.endsWith('#SURVEY'))).toEqual([]);
  });

  it('a mode plan is not counted any more once its source is switched off again', async () => {
    let native: ConfiguredModes['native'] = 'off';
    const { world, run, state } = await clusterOf(1000, () => ({ native, paced: 'own' }));
    await run(start + 60_000);
    native = 'own';
    await run(start + 120_000, { isLost: true });
    expect(world.table.rows().filter(({ pk }) => pk.endsWith('#SURVEY'))).toHaveLength(1);
    native = 'off';
    await run(start + 300_000);
    expect(world.table.rows().filter(({ pk }) => pk.endsWith('#SURVEY'))).toEqual([]);
    expect(await readModePlan(state, 'native')).toBeUndefined();
  });
});
