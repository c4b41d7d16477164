// A change that affects many pods: the cost of finding them, and that a crash half way forgets no pod.
import { describe, expect, it } from 'vitest';
import type { Pod, ResourceClaim } from '../../lib/model/objects.ts';
import { sweep } from '../../lib/stages/sweep/index.ts';
import { storeClaim } from '../../lib/state/claimRows.ts';
import { readFanOut } from '../../lib/state/fanOutRows.ts';
import { storePod } from '../../lib/state/storePod.ts';
import type { Around } from '../support/around.ts';
import { aClaim, aHeartbeat, aNamespace, aPod, aRule, driver, upserted } from '../support/objects.ts';
import { createWorld, type Message, type World } from '../support/world.ts';

const start = 1_800_000_000_000;
const minute = 60_000;
const tableCalls = ['get', 'getMany', 'query', 'queryDue', 'queryHeads', 'write', 'transact'];

/** Stores objects as if ingest had done so long ago: no row is dirty. */
async function store({ table, cluster }: World, pods: readonly Pod[], claims: readonly ResourceClaim[]): Promise<void> {
  const state = { table, cluster };
  const how = (object: Pod | ResourceClaim) => ({ seen: object, now: start });
  for (const claim of claims) await storeClaim(state, claim, how(claim));
  for (const pod of pods) await storePod(state, pod, how(pod));
  for (const { pk, sk } of table.rows())
    await table.write({ kind: 'Update', key: { pk, sk }, change: { remove: ['dirty', 'due', 'dueAt'] } });
}

const nameOf = (i: number) => `pod-${String(i).padStart(5, '0')}`;

/** Pods with one claim and one device each; eight devices in a pool. */
function onePerDevice(count: number) {
  const names = Array.from({ length: count }, (_, i) => nameOf(i));
  const claims = names.map((name, i) => {
    const device = {
      request: 'gpu',
      driver,
      pool: `node-${Math.floor(i / 8)}`,
      device: `gpu-${i % 8}`,
      tolerations: [],
    };
    return aClaim(name, 'gpu-0', { allocation: { devices: [device] } });
  });
  return { pods: names.map((name) => aPod(name)), claims };
}

const queued = (world: World, stage: Message['stage']) => world.messages.filter((message) => message.stage === stage);
const podsIn = (messages: readonly Message[]) =>
  messages.flatMap((message) => (message.stage === 'evaluate' ? message.body.pods : []));
const open = (world: World) => world.table.rows().filter((row) => row.chunk !== undefined || readFanOut(row));

async function given(objects: ReturnType<typeof onePerDevice>, around?: Around): Promise<World> {
  const world = createWorld({ start, ...(around ? { around } : {}) });
  await store(world, objects.pods, objects.claims);
  return world;
}

/** Delivers the messages by which fan-outs continue, until there is none. */
async function continueFanOuts(world: World): Promise<void> {
  for (let next = 0; next < 100; next++) {
    const at = world.messages.findIndex(({ stage }) => stage === 'ingest');
    const [message] = at < 0 ? [] : world.messages.splice(at, 1);
    if (!message) return;
    await world.deliver(message);
  }
}

const ingest = (world: World, ...body: Extract<Message, { stage: 'ingest' }>['body']) =>
  world.deliver({ stage: 'ingest', at: world.now(), body });

describe('a rule over n pods', () => {
  it.each([1000, 10_000])('ingest needs at most one table call for every 50 pods of a rule over %i', async (count) => {
    let calls = 0;
    let longest = 0;
    const world = await given(onePerDevice(count), (name, call, args) => {
      if (tableCalls.includes(name)) calls++;
      if (name === 'transact') longest = Math.max(longest, (args[0] as readonly unknown[]).length);
      return call();
    });
    await ingest(world, aHeartbeat(start));
    calls = 0;
    await ingest(world, upserted(aRule('bad', start)));
    await continueFanOuts(world);
    expect(calls).toBeLessThanOrEqual(count / 50);
    expect(longest).toBeLessThanOrEqual(25);
    expect(new Set(podsIn(queued(world, 'evaluate'))).size).toBe(count);
  });

  it('ingest hands the first pods of a rule over before it finds the others', async () => {
    const read = new Set<string>();
    const before: number[] = [];
    const world = await given(onePerDevice(1000), (name, call, args) => {
      if (name === 'getMany') for (const { sk } of args[0] as readonly { sk: string }[]) read.add(sk);
      if (name === 'sendEvaluate') before.push(read.size);
      return call();
    });
    await ingest(world, upserted(aRule('bad', start)));
    const [first, ...others] = queued(world, 'evaluate').map((message) => podsIn([message]).length);
    expect(first).toBe(10);
    expect(before[0]).toBeLessThanOrEqual(20);
    expect(others.reduce((sum, count) => sum + count, 0)).toBe(990);
  });

  it('a rule over more than a thousand devices has its first pods alone for a second', async () => {
    const world = await given(onePerDevice(2500));
    await ingest(world, upserted(aRule('bad', start)));
    expect(podsIn(queued(world, 'evaluate'))).toHaveLength(10);
    expect(queued(world, 'ingest').map(({ at }) => at - world.now())).toEqual([1000]);
    await continueFanOuts(world);
    expect(new Set(podsIn(queued(world, 'evaluate'))).size).toBe(2500);
    // Nothing was lost, and the metric says so.
    expect(world.metrics.get('SweepRepaired') ?? 0).toBe(0);
  });

  it('a rule over many pods is reported once all of them are evaluated', async () => {
    const world = await given(onePerDevice(2500));
    await ingest(world, aHeartbeat(start), upserted(aRule('bad', start, { taint: tolerable() })));
    await continueFanOuts(world);
    expect(open(world).length).toBeGreaterThan(20);
    for (const message of queued(world, 'evaluate')) await world.deliver(message);
    expect(open(world)).toEqual([]);
    expect(queued(world, 'report').length).toBeGreaterThan(0);
  });
});

/** A taint whose pods are evaluated but not evicted. */
const tolerable = () => ({ key: 'example.com/bad', effect: 'NoExecute' as const });

describe('a fan-out that reaches no pod', () => {
  it('a fan-out without pods writes nothing when a heartbeat says which APIs are served', async () => {
    const world = createWorld({ start });
    await ingest(world, { ...aHeartbeat(start), watched: { PodGroup: 'v1beta1' } });
    expect(open(world)).toEqual([]);
  });
});

describe('a fan-out that ends half way', () => {
  it.each([1, 3, 8, 13])('the next sweeps complete a fan-out that ended after %i more calls', async (after) => {
    let left = Number.POSITIVE_INFINITY;
    const world = await given(onePerDevice(2500), (name, call) => {
      if (tableCalls.includes(name) && left-- <= 0) throw new Error('the function is stopped');
      return call();
    });
    await ingest(world, aHeartbeat(start));
    left = 4 + after;
    await expect(ingest(world, upserted(aRule('bad', start)))).rejects.toThrow('stopped');
    left = Number.POSITIVE_INFINITY;
    const seen = new Set(podsIn(world.messages.splice(0)));
    expect(seen.size).toBeLessThan(2500);
    for (let passed = 0; passed < 10 && seen.size < 2500; passed++) {
      world.setNow(world.now() + minute);
      await sweepOnce(world);
      for (const pod of podsIn(world.messages.splice(0))) seen.add(pod);
    }
    expect(seen.size).toBe(2500);
    expect(world.metrics.get('SweepRepaired')).toBeGreaterThan(0);
  });

  it('the sweep sends the pods of a lost message again', async () => {
    const world = await given(onePerDevice(1200));
    await ingest(world, upserted(aRule('bad', start)));
    await continueFanOuts(world);
    const [lost] = queued(world, 'evaluate');
    for (const message of queued(world, 'evaluate').slice(1)) await world.deliver(message);
    world.messages.splice(0);
    expect(open(world)).toHaveLength(1);
    for (let passed = 0; passed < 8; passed++) {
      world.setNow(world.now() + minute);
      await sweepOnce(world);
    }
    expect(podsIn(world.messages)).toEqual(expect.arrayContaining(podsIn(lost ? [lost] : [])));
  });

  it('a newer version of the rule replaces a fan-out and also reaches the remaining pods', async () => {
    let isSlow = true;
    const world: World = await given(onePerDevice(2500), (name, call) => {
      if (isSlow && name === 'sendEvaluate') world.setNow(world.now() + 11_000);
      return call();
    });
    await ingest(world, upserted(aRule('bad', start)));
    await world.deliver(queued(world, 'ingest')[0] as Message);
    const first = podsIn(world.messages.splice(0).filter(({ stage }) => stage === 'evaluate'));
    expect(first.length).toBeLessThan(2500);
    isSlow = false;
    const narrow = { driver, pool: 'node-0' };
    await ingest(world, upserted(aRule('bad', start, { generation: 2, deviceSelector: narrow })));
    await continueFanOuts(world);
    expect(new Set(podsIn(queued(world, 'evaluate'))).size).toBe(2500);
    expect(world.table.rows().filter((row) => readFanOut(row))).toEqual([]);
  });
});

describe('9,000 pods that refer to one claim', () => {
  const refer = (i: number) =>
    aPod(nameOf(i), { resourceClaims: [{ name: 'gpu', resourceClaimName: 'claim-shared' }] });
  const shared = aClaim('shared', 'gpu-0', {
    reservedFor: [{ apiGroup: 'scheduling.k8s.io', resource: 'podgroups', name: 'all', uid: 'uid-all' }],
  });

  it('9,000 pods of one claim are found page by page, with at most 25 rows in a transaction', async () => {
    let longest = 0;
    let widest = 0;
    const world = await given(
      { pods: Array.from({ length: 9000 }, (_, i) => refer(i)), claims: [shared] },
      async (name, call, args) => {
        if (name === 'transact') longest = Math.max(longest, (args[0] as readonly unknown[]).length);
        const answer = await call();
        if (name === 'query') widest = Math.max(widest, (answer as { rows: readonly unknown[] }).rows.length);
        return answer;
      },
    );
    await ingest(world, upserted({ ...shared, resourceVersion: '900001', annotations: { a: 'b' } }));
    expect(new Set(podsIn(world.messages.splice(0))).size).toBe(9000);
    await ingest(world, upserted(aRule('bad', start)));
    expect(new Set(podsIn(queued(world, 'evaluate'))).size).toBe(9000);
    expect(longest).toBeLessThanOrEqual(25);
    expect(widest).toBeLessThanOrEqual(1000);
  });
});

describe('labels of a namespace', () => {
  it('a change of namespace labels reaches the pods of that namespace only', async () => {
    const { pods, claims } = onePerDevice(40);
    const elsewhere = <T extends { namespace: string; uid: string }>(object: T): T => ({
      ...object,
      namespace: 'other',
      uid: `${object.uid}-2`,
    });
    const world = await given({
      pods: [...pods, ...pods.map(elsewhere)],
      claims: [...claims, ...claims.map(elsewhere)],
    });
    await ingest(world, upserted(aNamespace('other', { labels: { team: 'a' } })));
    const found = podsIn(queued(world, 'evaluate'));
    expect(new Set(found).size).toBe(40);
    expect(found.every((pod) => pod.startsWith('other/'))).toBe(true);
  });
});

/** One sweep, and the ingest messages that it sends. */
async function sweepOnce(world: World): Promise<void> {
  await sweep(world.deps, world.cluster);
  for (const message of world.messages.filter(({ stage }) => stage === 'ingest')) {
    world.messages.splice(world.messages.indexOf(message), 1);
    await world.deliver(message);
  }
}
