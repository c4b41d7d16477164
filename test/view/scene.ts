// A cluster in the middle of its evictions, played through the real steps: rules in every state, several drivers, a slow limiter.
import type { Change } from '../../lib/model/change.ts';
import type { DeviceTaintRule, DeviceToleration } from '../../lib/model/objects.ts';
import { allOwned } from '../../lib/model/ownership.ts';
import type { Instant } from '../../lib/model/time.ts';
import type { ClusterProgress } from '../../lib/view/progress.ts';
import { createProgressReader } from '../../lib/view/readModel.ts';
import { aClaim, aHeartbeat, aPod, aRule, aSlice, deleted, upserted } from '../support/objects.ts';
import { createWorld, type World } from '../support/world.ts';

/** 2027-03-04 09:30:00 UTC. */
export const sceneStart: Instant = Date.UTC(2027, 2, 4, 9, 30, 0);

export async function tell(world: World, ...changes: readonly Change[]): Promise<void> {
  for (let i = 0; i < changes.length; i += 10)
    await world.deliver({ stage: 'ingest', at: world.now(), body: changes.slice(i, i + 10) });
}

/** Lets time pass, with a heartbeat every five seconds. */
export async function pass(world: World, seconds: number): Promise<void> {
  const end = world.now() + seconds * 1000;
  while (world.now() < end) {
    await world.runUntil(Math.min(end, world.now() + 5000));
    await tell(world, aHeartbeat(world.now()));
  }
}

export interface Workload {
  readonly namespace: string;
  readonly name: string;
  readonly count: number;
  readonly driver: string;
  /** Pods of one device each are spread over this many pools `<prefix>-<n>` of one node each. */
  readonly pools: { readonly prefix: string; readonly count: number };
  readonly tolerations?: readonly DeviceToleration[];
}

export async function run(world: World, workload: Workload): Promise<void> {
  const { namespace, driver, pools, tolerations = [] } = workload;
  for (let i = 0; i < workload.count; i++) {
    const name = `${workload.name}-${i}`;
    const uid = `uid-${namespace}-${name}`;
    const pool = `${pools.prefix}-${String((i % pools.count) + 1).padStart(2, '0')}`;
    const device = `${driver.split('.')[0]}-${Math.floor(i / pools.count)}`;
    world.api.pods.set(`${namespace}/${name}`, { uid, terminating: false, marked: false });
    const devices = [{ request: 'device', driver, pool, device, tolerations }];
    const reservedFor = [{ resource: 'pods', name, uid }];
    await tell(
      world,
      upserted(aClaim(name, device, { namespace, uid: `claim-${uid}`, reservedFor, allocation: { devices } })),
      upserted(aPod(name, { namespace, uid, nodeName: pool, creationTimestamp: sceneStart - i * 60_000 })),
    );
  }
}

export async function createRule(
  world: World,
  name: string,
  overrides: Partial<DeviceTaintRule>,
): Promise<DeviceTaintRule> {
  const rule = aRule(name, world.now(), overrides);
  world.api.rules.set(name, { rule, conditions: [] });
  await tell(world, upserted(rule));
  return rule;
}

export async function deleteRule(world: World, rule: DeviceTaintRule): Promise<void> {
  world.api.rules.delete(rule.name);
  await tell(world, deleted(rule));
}

function pace(perSecond: number, burst: number): Pick<DeviceTaintRule, 'annotations'> {
  return { annotations: { 'sluice.dev/evictions-per-second': String(perSecond), 'sluice.dev/burst': String(burst) } };
}

const gpu = 'gpu.example.com';
const tpu = 'tpu.example.com';
const nic = 'nic.example.com';

async function startWorkloads(world: World): Promise<void> {
  const gpus = { driver: gpu, pools: { prefix: 'gpu-node', count: 60 } };
  await run(world, { ...gpus, namespace: 'training', name: 'llm-pretrain-worker', count: 820 });
  await run(world, { ...gpus, namespace: 'batch', name: 'embedding-backfill', count: 80 });
  const tpus = { driver: tpu, pools: { prefix: 'tpu-node', count: 8 } };
  await run(world, { ...tpus, namespace: 'research', name: 'sweep', count: 24 });
  const patient = [{ key: 'example.com/link-down', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 1200 }];
  await run(world, { ...tpus, namespace: 'serving', name: 'ranker', count: 9, tolerations: patient });
  const nics = { driver: nic, pools: { prefix: 'edge-node', count: 12 } };
  await run(world, { ...nics, namespace: 'edge', name: 'packet-probe', count: 48 });
  await run(world, {
    driver: 'fpga.example.com',
    pools: { prefix: 'fpga-node', count: 4 },
    namespace: 'quant',
    name: 'pricer',
    count: 4,
  });
}

export interface Scene {
  readonly world: World;
  /** Reads with one memory from the start, as the local page does. */
  readonly read: () => Promise<ClusterProgress>;
  readonly quarantine: DeviceTaintRule;
}

/** Two minutes of work: one rule evicts fast, one slowly, a driver's own taint waits, one rule is stopped, one done. */
export async function playScene(): Promise<Scene> {
  const world = createWorld({ start: sceneStart });
  const state = { table: world.table, cluster: world.cluster };
  const read = createProgressReader(async () => state, { now: world.now, modes: allOwned });
  await tell(world, aHeartbeat(world.now()));
  await startWorkloads(world);
  const bad = (key: string, value: string) => ({
    taint: { key, value, effect: 'NoExecute', timeAdded: world.now() },
  });
  await createRule(world, 'fpga-recall', {
    deviceSelector: { driver: 'fpga.example.com' },
    ...bad('example.com/recall', '2027-03'),
  });
  await createRule(world, 'gpu-audit', {
    deviceSelector: { driver: gpu },
    taint: { key: 'example.com/audit', effect: 'None' },
  });
  const mistaken = await createRule(world, 'nic-drain-all', {
    deviceSelector: { driver: nic },
    ...bad('example.com/drain', 'all'),
  });
  await pass(world, 2);
  await read();
  await deleteRule(world, mistaken);
  await pass(world, 30);
  await createRule(world, 'tpu-firmware-rollout', {
    deviceSelector: { driver: tpu, pool: 'tpu-node-01' },
    ...bad('example.com/firmware', 'v41'),
    ...pace(0.025, 1),
  });
  const linkDown = { key: 'example.com/link-down', effect: 'NoExecute', timeAdded: world.now() };
  await tell(
    world,
    upserted(
      aSlice('tpu-node-02-devices', {
        driver: tpu,
        pool: { name: 'tpu-node-02', generation: 7 },
        devices: ['tpu-0', 'tpu-1', 'tpu-2'].map((name) => ({ name, taints: [linkDown] })),
      }),
    ),
  );
  await pass(world, 45);
  const quarantine = await createRule(world, 'xid-79-quarantine', {
    deviceSelector: { driver: gpu },
    ...bad('example.com/unhealthy', 'xid-79'),
    ...pace(5, 8),
  });
  await pass(world, 68.4);
  return { world, read, quarantine };
}
