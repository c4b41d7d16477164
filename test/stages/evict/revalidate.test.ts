// Only live reads of the API server lead to a DELETE: a pod that the live cluster keeps is kept, whatever the table says.
import { describe, expect, it } from 'vitest';
import type { Namespace } from '../../../lib/model/namespace.ts';
import type { ObjectKind, ObjectProjection } from '../../../lib/model/projection.ts';
import { ruleRef } from '../../../lib/model/rule.ts';
import { sliceKey, sliceRowKey } from '../../../lib/state/keys.ts';
import { readRowOf } from '../../../lib/state/objectRows.ts';
import { readPod } from '../../../lib/state/podRows.ts';
import { readRule, storeRule } from '../../../lib/state/ruleRows.ts';
import { readSlice } from '../../../lib/state/sliceRows.ts';
import { aroundCalls } from '../../support/around.ts';
import {
  aClaim,
  aHeartbeat,
  aNamespace,
  aPacedRule,
  aPod,
  aRule,
  aSlice,
  deleted,
  nextVersion,
  upserted,
} from '../../support/objects.ts';
import { evictionPolicy } from '../../support/pacedBuilders.ts';
import { createWorld, type World } from '../../support/world.ts';

const start = 1_800_000_000_000;
const bad = { key: 'gpu.example.com/xid', effect: 'NoExecute', timeAdded: start - 1000 };

/** A world whose API server has only the objects of `put`, whatever the messages are. */
async function blind(): Promise<World> {
  // A step that fails is run again, as a queue would do.
  const world = createWorld({ start, isBlind: true, around: (_, call) => call() });
  await tell(world);
  return world;
}

async function tell(world: World, ...objects: readonly ObjectProjection[]): Promise<void> {
  const body = [aHeartbeat(world.now()), ...objects.map((object) => upserted(object))];
  await world.deliver({ stage: 'ingest', at: world.now(), body });
}

function put(world: World, ...objects: readonly ObjectProjection[]): void {
  for (const object of objects) {
    world.api.live.put(object);
    if (object.kind === 'Pod')
      world.api.pods.set(`${object.namespace}/${object.name}`, { uid: object.uid, marked: false, terminating: false });
    if (object.kind === 'DeviceTaintRule' || object.kind === 'PacedTaintRule')
      world.api.rules.set(ruleRef(object), { rule: object, conditions: [] });
  }
}

/** Adds objects to both the table and the API server. */
async function know(world: World, ...objects: readonly ObjectProjection[]): Promise<void> {
  put(world, ...objects);
  await tell(world, ...objects);
}

async function run(world: World, seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 10) {
    await world.runUntil(world.now() + 10_000);
    await tell(world);
  }
}

const gone = (world: World) => world.api.deletes.map(({ pod }) => pod.name).sort();
const stateOf = ({ table, cluster }: World) => ({ table, cluster });

describe('a table that differs from the API server', () => {
  it('a rule that is deleted in the table gives no second burst while reads of the API server still show it', async () => {
    const world = await blind();
    const rule = aRule('r', start, { deviceSelector: { driver: 'gpu.example.com' } });
    const names = Array.from({ length: 60 }, (_, i) => `p${i}`);
    await know(world, rule, aSlice('s', { devices: names.map((name) => ({ name })) }));
    for (const name of names) await know(world, aClaim(name, name), aPod(name));
    await world.runUntil(world.now() + 1000);
    const before = gone(world).length;
    expect(before).toBeGreaterThanOrEqual(10);
    expect(before).toBeLessThan(30);
    // As between the write of the rule's row and the evaluation of its pods.
    const seen = { uid: rule.uid, resourceVersion: nextVersion() };
    await storeRule(stateOf(world), rule, { seen, gone: world.now(), now: world.now() });
    await world.runUntil(world.now() + 900);
    // One token every 100 ms, and those taken up to one second ahead: a burst would be ten more.
    expect(gone(world).length - before).toBeLessThanOrEqual(10);
  });

  it('a forged pod, claim and slice evict no pod, and the pod is corrected', async () => {
    const world = await blind();
    const real = aPod('coredns', { namespace: 'kube-system', resourceClaims: [] });
    put(world, real);
    await tell(
      world,
      aSlice('forged', { devices: [{ name: 'x', taints: [bad] }] }),
      aClaim('coredns', 'x', {
        namespace: 'kube-system',
        reservedFor: [{ resource: 'pods', name: 'coredns', uid: real.uid }],
      }),
      aPod('coredns', { namespace: 'kube-system', uid: real.uid }),
    );
    await run(world, 120);
    expect(gone(world)).toEqual([]);
    expect(world.metrics.get('MirrorDrift')).toBeGreaterThan(0);
    expect((await readPod(stateOf(world), 'kube-system/coredns'))?.object.resourceClaims).toEqual([]);
  });

  it('a forged claim with a future version evicts no pod, and does not keep later pods of the device', async () => {
    const world = await blind();
    await know(world, aSlice('s', { devices: [{ name: 'ok' }, { name: 'bad', taints: [bad] }] }));
    await know(world, aClaim('a', 'ok'), aPod('a'));
    await tell(world, aClaim('a', 'bad', { resourceVersion: '9'.repeat(15) }));
    await run(world, 120);
    expect(gone(world)).toEqual([]);
    // The next pod that really uses the device is still evicted.
    await know(world, aClaim('b', 'bad'), aPod('b'));
    await run(world, 20);
    expect(gone(world)).toEqual(['b']);
  });

  it('a slice whose lifted taint the table still has evicts none of the later pods, and is corrected', async () => {
    const world = await blind();
    const tainted = aSlice('s', { devices: [{ name: 'gpu-0', taints: [bad] }] });
    await tell(world, tainted);
    put(world, { ...tainted, resourceVersion: nextVersion(), devices: [{ name: 'gpu-0' }] });
    for (const name of ['a', 'b', 'c']) {
      await know(world, aClaim(name, 'gpu-0'), aPod(name));
      await run(world, 20);
    }
    expect(gone(world)).toEqual([]);
    expect((await readSlice(stateOf(world), sliceKey(tainted)))?.object.devices).toEqual([{ name: 'gpu-0' }]);
  });

  it('a deleted slice and a slice of an earlier pool generation evict no pod', async () => {
    const world = await blind();
    const old = aSlice('old', { devices: [{ name: 'gpu-0', taints: [bad] }] });
    await tell(world, old);
    await know(world, aClaim('a', 'gpu-0'), aPod('a'));
    await run(world, 20);
    expect(gone(world)).toEqual([]);
    expect((await readSlice(stateOf(world), sliceKey(old)))?.gone).toBe(true);
    await tell(world, { ...old, resourceVersion: nextVersion() });
    put(world, old, aSlice('new', { pool: { name: 'node-1', generation: 2 }, devices: [{ name: 'gpu-0' }] }));
    await know(world, aClaim('b', 'gpu-0'), aPod('b'));
    await run(world, 20);
    expect(gone(world)).toEqual([]);
  });

  it('a slice row overwritten with a forged taint at the same version evicts no pod', async () => {
    const world = await blind();
    const healthy = aSlice('s', { devices: [{ name: 'gpu-0' }] });
    await know(world, healthy, aClaim('a', 'gpu-0'), aPod('a'));
    const key = sliceRowKey(world.cluster, sliceKey(healthy));
    const evil = { ...healthy, devices: [{ name: 'gpu-0', taints: [bad] }] };
    await world.table.write({ kind: 'Update', key, change: { set: { object: evil } } });
    await know(world, aPod('a'));
    await run(world, 20);
    expect(gone(world)).toEqual([]);
  });

  it('a rule that was deleted, edited to None or projected by Sluice evicts no pod', async () => {
    for (const change of [
      undefined,
      { taint: { ...bad, effect: 'None' }, generation: 2 },
      { projectedFrom: 'uid-r' },
    ]) {
      const world = await blind();
      await know(world, aClaim('a', 'gpu-0'), aPod('a'));
      const rule = aRule('r', start);
      if (change) put(world, { ...rule, ...change, resourceVersion: nextVersion() });
      await tell(world, rule);
      await run(world, 120);
      expect(gone(world)).toEqual([]);
    }
  });

  it('a PacedTaintRule evicts no pod while a rule that the table lacks takes precedence', async () => {
    const world = await blind();
    const rule = aPacedRule('known', {
      priority: 1,
      seen: [{ key: 'example.com/bad', effect: 'NoExecute', timeAdded: start - 1000 }],
    });
    await know(world, aSlice('s'), aClaim('a', 'gpu-0'), aPod('a'));
    const unknown = aPacedRule('unknown', { priority: 2, pods: { namespaces: ['other'] } });
    put(world, rule, unknown);
    await tell(world, rule);
    await run(world, 120);
    expect(gone(world)).toEqual([]);
    world.api.rules.delete(ruleRef(unknown));
    world.api.live.drop('PacedTaintRule', 'unknown');
    await world.deliver({ stage: 'ingest', at: world.now(), body: [deleted(unknown)] });
    await run(world, 120);
    expect(gone(world)).toEqual(['a']);
  });

  it('a PacedTaintRule evicts no pod while a rule that the verdict did not consider takes precedence', async () => {
    const world = await blind();
    const rule = aPacedRule('known', {
      priority: 1,
      seen: [{ key: 'example.com/bad', effect: 'NoExecute', timeAdded: start - 1000 }],
    });
    await know(world, aSlice('s'), aClaim('a', 'gpu-0'), aPod('a'));
    const above = aPacedRule('above', { priority: 2, pods: { namespaces: ['other'] } });
    put(world, rule, above);
    await tell(world, rule);
    const seen = { uid: above.uid, resourceVersion: above.resourceVersion };
    await storeRule(stateOf(world), above, { seen, now: world.now() });
    await run(world, 120);
    expect(gone(world)).toEqual([]);
  });

  it('the tombstone of a policy that still exists does not lift its rate of zero', async () => {
    const world = await blind();
    const policy = evictionPolicy({ evictionsPerSecond: 0 });
    await know(world, policy, aClaim('a', 'gpu-0'), aPod('a'));
    await world.deliver({ stage: 'ingest', at: world.now(), body: [deleted(policy)] });
    await know(world, aRule('r', start));
    await run(world, 120);
    expect(gone(world)).toEqual([]);
  });

  it('a deleted policy that the table still has keeps its pods', async () => {
    const world = await blind();
    const policy = evictionPolicy({ evictionsPerSecond: 1 });
    await tell(world, policy);
    await know(world, aClaim('a', 'gpu-0'), aPod('a'), aRule('r', start));
    await run(world, 60);
    expect(gone(world)).toEqual([]);
  });

  it('rows of another cluster of the same name evict only the pod with the live UID', async () => {
    const world = await blind();
    const claimOf = (uid: string) => aClaim('a', 'gpu-0', { reservedFor: [{ resource: 'pods', name: 'a', uid }] });
    await know(world, aRule('r', start));
    put(world, aPod('a', { uid: 'of-this-cluster' }), claimOf('of-this-cluster'));
    await tell(world, aPod('a', { uid: 'of-the-other' }), claimOf('of-the-other'));
    await run(world, 20);
    // A live rule taints the live pod: it may be evicted once the table has it, and no other pod.
    expect(world.api.deletes.map(({ pod }) => pod.uid)).not.toContain('of-the-other');
    expect((await readPod(stateOf(world), 'default/a'))?.uid).toBe('of-this-cluster');
    // The corrected rows are evaluated: the rule exists in this cluster too, and evicts its pod.
    await run(world, 200);
    expect(world.api.deletes.map(({ pod }) => pod.uid)).toEqual(['of-this-cluster']);
  });

  it('a pod that no longer exists gets the ledger state Gone, and its row becomes a tombstone', async () => {
    const world = await blind();
    const pod = aPod('a');
    await tell(world, pod, aClaim('a', 'gpu-0'));
    await know(world, aRule('r', start));
    await run(world, 20);
    expect(gone(world)).toEqual([]);
    expect(await readPod(stateOf(world), 'default/a')).toMatchObject({ gone: true, ledger: { state: 'Gone' } });
  });

  it('a namespace without a Sluice label is not stored when a pod in it is kept', async () => {
    const world = await blind();
    put(world, aNamespace('default'));
    await tell(world, aPod('a'), aClaim('a', 'gpu-0'));
    await know(world, aRule('r', start));
    await run(world, 20);
    expect(await readRowOf(stateOf(world), aNamespace('default'))).toBeUndefined();
    expect(world.metrics.get('MirrorDrift')).toBe(2);
  });

  it('a namespace whose label the table lacks is stored when a pod in it is kept', async () => {
    const world = await blind();
    const labels = { 'sluice.dev/eviction-mode': 'Evict' };
    put(world, aNamespace('default', { labels }));
    await tell(world, aPod('a'), aClaim('a', 'gpu-0'));
    await know(world, aRule('r', start));
    await run(world, 20);
    expect(await readRowOf(stateOf(world), aNamespace('default'))).toMatchObject({
      object: { labels },
      mirror: 'Live',
    });
  });

  it('a pause of the namespace that the table lacks keeps a pod with a mode label of its own, and is stored', async () => {
    const world = await blind();
    const annotations = { 'pause.sluice.dev/manual': 'audit' };
    put(world, aNamespace('default', { annotations }));
    const pod = aPod('a', { labels: { 'sluice.dev/eviction-mode': 'Delete' } });
    await tell(world, pod, aClaim('a', 'gpu-0'));
    put(world, pod, aClaim('a', 'gpu-0'));
    await know(world, aRule('r', start));
    await run(world, 60);
    expect(gone(world)).toEqual([]);
    expect(await readRowOf(stateOf(world), aNamespace('default'))).toMatchObject({
      object: { annotations },
      mirror: 'Live',
    });
  });

  it.each<[string, Partial<Namespace>]>([
    ['a pause of its namespace', { annotations: { 'sluice.dev/paused': 'true' } }],
    ['a label Skip of its namespace', { labels: { 'sluice.dev/eviction-mode': 'Skip' } }],
  ])('%s that comes while a slow PATCH is under way keeps a pod whose eviction has begun', async (_, more) => {
    const world = await blind();
    const { evictor } = world.api;
    const slow = aroundCalls(evictor, async (name, call) => {
      if (name !== 'mark') return call();
      put(world, aNamespace('default', more));
      await world.deps.clock.sleep(1500);
      return call();
    });
    Object.assign(world.deps, { accessTo: () => ({ ...world.api, evictor: slow }) });
    await know(world, aSlice('s'), aClaim('a', 'gpu-0'), aPod('a'), aRule('r', start));
    await run(world, 60);
    expect(world.api.pods.get('default/a')).toMatchObject({ marked: true });
    expect(gone(world)).toEqual([]);
  });

  it('rows that match the API server do not count as drift', async () => {
    const world = await blind();
    await know(world, aSlice('s'), aClaim('a', 'gpu-0'), aPod('a'), aRule('r', start));
    await run(world, 20);
    expect(gone(world)).toEqual(['a']);
    expect(world.metrics.get('MirrorDrift')).toBeUndefined();
  });
});

describe('the live claim of a pod', () => {
  it('a toleration that is not in the table yet keeps the pod', async () => {
    const world = await blind();
    const claim = aClaim('a', 'gpu-0');
    await know(world, aPod('a'));
    await tell(world, claim);
    const tolerations = [{ operator: 'Exists', effect: 'NoExecute' }];
    const [device] = claim.allocation?.devices ?? [];
    if (device)
      put(world, { ...claim, resourceVersion: nextVersion(), allocation: { devices: [{ ...device, tolerations }] } });
    await know(world, aRule('r', start));
    await run(world, 60);
    expect(gone(world)).toEqual([]);
  });
});

describe('failed live reads', () => {
  const kinds: readonly ObjectKind[] = [
    'Pod',
    'ResourceClaim',
    'ResourceSlice',
    'DeviceTaintRule',
    'EvictionPolicy',
    'Namespace',
  ];

  async function keptBy(fail: (world: World) => void, counted = 'ApiServerErrors'): Promise<readonly string[]> {
    const world = await blind();
    const said: string[] = [];
    Object.assign(world.deps.log, {
      info: (_: string, fields?: { why?: string }) => void said.push(fields?.why ?? ''),
    });
    await know(world, aClaim('a', 'gpu-0'), aPod('a'));
    fail(world);
    await know(world, aRule('r', start));
    await run(world, 20);
    expect(gone(world)).toEqual([]);
    expect((await readPod(stateOf(world), 'default/a'))?.ledger?.state).toBe('Pending');
    expect(world.metrics.get(counted)).toBeGreaterThan(0);
    return said;
  }

  it.each(kinds)('a read of %s that is refused with 403 keeps the pod and is logged', async (kind) => {
    const why = `403 cannot list resource of ${kind}`;
    const refused = { kind: 'Refused', why, status: 403 } as const;
    const said = await keptBy(({ api }) => void api.live.failing.set(kind, refused), 'EvictionsRefused');
    expect(said).toContain(why);
  });

  it.each(kinds)('a read of %s without an answer in time keeps the pod and is logged', async (kind) => {
    const why = `${kind}: no answer within 5000 ms`;
    const said = await keptBy(({ api }) => void api.live.failing.set(kind, { kind: 'RetryLater', after: 1, why }));
    expect(said).toContain(why);
  });

  it.each(kinds.filter((kind) => kind !== 'EvictionPolicy'))(
    'a kind %s that is not served keeps the pod and is logged',
    async (kind) => {
      const said = await keptBy(({ api }) => void api.live.notServed.add(kind));
      expect(said).toContain(`${kind}: not served`);
    },
  );

  it('a policy in the table keeps its pods when EvictionPolicies are not served', async () => {
    const world = await blind();
    await tell(world, evictionPolicy({ evictionsPerSecond: 1 }));
    world.api.live.notServed.add('EvictionPolicy');
    await know(world, aClaim('a', 'gpu-0'), aPod('a'), aRule('r', start));
    await run(world, 60);
    expect(gone(world)).toEqual([]);
  });

  it('a deleted policy in the table keeps pods when EvictionPolicies are not served, until the watcher finds the same', async () => {
    const world = await blind();
    const policy = evictionPolicy({ evictionsPerSecond: 0, resourceVersion: nextVersion() });
    const { log } = world.deps;
    const said: string[] = [];
    Object.assign(log, { info: (_: string, fields: object) => said.push(JSON.stringify(fields)) });
    put(world, policy);
    await tell(world, policy);
    await world.deliver({ stage: 'ingest', at: world.now(), body: [deleted(policy)] });
    world.api.live.notServed.add('EvictionPolicy');
    await know(world, aSlice('s'), aClaim('a', 'gpu-0'), aPod('a'), aRule('r', start));
    await run(world, 60);
    expect(gone(world)).toEqual([]);
    expect(said.join()).toContain('EvictionPolicies are not served');
    for (let passed = 0; passed < 120; passed += 10) {
      const heartbeat = { ...aHeartbeat(world.now()), notServed: ['EvictionPolicy'] as const };
      await world.deliver({ stage: 'ingest', at: world.now(), body: [heartbeat] });
      await world.runUntil(world.now() + 10_000);
    }
    expect(gone(world)).toEqual(['a']);
  });

  it('a pod kept by a failed read is evicted once the API server answers again', async () => {
    const world = await blind();
    await know(world, aClaim('a', 'gpu-0'), aPod('a'));
    world.api.live.failing.set('ResourceClaim', { kind: 'Refused', why: 'no', status: 403 });
    await know(world, aRule('r', start));
    await run(world, 20);
    world.api.live.failing.clear();
    await run(world, 120);
    expect(gone(world)).toEqual(['a']);
  });
});

describe('live reads', () => {
  it('revalidation reads the pod, its claims and only those other objects that its verdict names', async () => {
    const world = await blind();
    await know(
      world,
      aSlice('s'),
      aSlice('other', { pool: { name: 'node-2', generation: 1 } }),
      aRule('idle', start, { deviceSelector: { pool: 'node-9' } }),
    );
    await know(world, aClaim('a', 'gpu-0'), aPod('a'), aClaim('b', 'gpu-1'), aPod('b'), aRule('r', start));
    world.api.live.reads.length = 0;
    await run(world, 10);
    expect(gone(world)).toEqual(['a', 'b']);
    const reads = new Set(world.api.live.reads.filter((read) => !read.startsWith('DeviceTaintRule')));
    expect([...reads].sort()).toEqual([
      'EvictionPolicy *',
      'EvictionStop *',
      'Namespace default',
      'Pod default/a',
      'Pod default/b',
      'ResourceClaim default/claim-a',
      'ResourceClaim default/claim-b',
      'ResourceSlice gpu.example.com|node-1',
    ]);
  });

  it('a hundred pods cost at most 300 reads of pods and claims, and share 30 reads of other objects', async () => {
    const world = await blind();
    const names = Array.from({ length: 100 }, (_, i) => `p${i}`);
    await know(world, ...names.flatMap((name) => [aClaim(name, name), aPod(name)]));
    await run(world, 10);
    world.api.live.reads.length = 0;
    await know(world, aRule('r', start, { annotations: { 'sluice.dev/evictions-per-second': '100' } }));
    await run(world, 10);
    expect(gone(world)).toHaveLength(100);
    const own = world.api.live.reads.filter((read) => /^(Pod|ResourceClaim) /.test(read));
    expect(own.length).toBeLessThanOrEqual(2 * 100 * 1.5);
    const shared = world.api.live.reads.filter((read) => /^(ResourceSlice|EvictionPolicy|Namespace) /.test(read));
    expect(shared.length).toBeLessThanOrEqual(3 * 2 * 5);
  });
});

describe('reads at different times', () => {
  it('a claim that moves between two reads is not combined, in its old state, with a newer slice', async () => {
    const world = await blind();
    const slice = aSlice('s', { devices: [{ name: 'old', taints: [bad] }, { name: 'new' }] });
    const moved = { ...aClaim('a', 'new'), resourceVersion: nextVersion() };
    await know(world, aClaim('a', 'old'), aPod('a'));
    put(world, aSlice('s', { devices: [{ name: 'old' }, { name: 'new' }] }));
    const { live } = world.api;
    const slices = live.slices.bind(live);
    // While the claim was on `old`, `old` was healthy; before `old` is tainted, the claim has moved to `new`.
    Object.assign(live, {
      slices: (pool: Parameters<typeof slices>[0]) => {
        put(world, moved, { ...slice, resourceVersion: nextVersion() });
        return slices(pool);
      },
    });
    await tell(world, slice);
    await run(world, 60);
    expect(gone(world)).toEqual([]);
  });
});

describe('reads that pods share', () => {
  it('shared reads from before a claim moved are not combined with that claim', async () => {
    const world = await blind();
    const slice = aSlice('s', {
      devices: [
        { name: 'gpu-0', taints: [bad] },
        { name: 'gpu-1', taints: [bad] },
      ],
    });
    await know(world, aClaim('a', 'gpu-2'), aPod('a'), aClaim('b', 'gpu-1'), aPod('b'));
    const { evictor } = world.api;
    const mark = evictor.mark.bind(evictor);
    evictor.mark = async (...of) => {
      evictor.mark = mark;
      // The reads for b say that gpu-0 is tainted. It heals, and then the claim of a moves to it.
      const healed = [{ name: 'gpu-0' }, { name: 'gpu-1', taints: [bad] }];
      put(world, { ...slice, resourceVersion: nextVersion(), devices: healed });
      await know(world, { ...aClaim('a', 'gpu-0'), resourceVersion: nextVersion() });
      return mark(...of);
    };
    await know(world, slice);
    await run(world, 60);
    expect(gone(world)).toEqual(['b']);
  });

  it('shared reads from before a claim moved are not combined with it, even after earlier lists of other claims', async () => {
    const world = await blind();
    const slice = aSlice('s', {
      devices: [
        { name: 'gpu-0', taints: [bad] },
        { name: 'gpu-1', taints: [bad] },
      ],
    });
    await know(world, slice, aClaim('c', 'gpu-1'), aPod('c'));
    await run(world, 20);
    const { evictor } = world.api;
    const mark = evictor.mark.bind(evictor);
    evictor.mark = async (...of) => {
      evictor.mark = mark;
      const healed = [{ name: 'gpu-0' }, { name: 'gpu-1', taints: [bad] }];
      put(world, { ...slice, resourceVersion: nextVersion(), devices: healed });
      await know(world, { ...aClaim('a', 'gpu-0'), resourceVersion: nextVersion() });
      return mark(...of);
    };
    await know(world, aClaim('a', 'gpu-2'), aPod('a'), aClaim('b', 'gpu-1'), aPod('b'));
    await run(world, 60);
    expect(gone(world)).toEqual(['b', 'c']);
  });
});

describe('corrected rows', () => {
  it('the row of a rule that no longer exists becomes a tombstone', async () => {
    const world = await blind();
    await know(world, aClaim('a', 'gpu-0'), aPod('a'));
    await tell(world, aRule('r', start));
    await run(world, 20);
    expect((await readRule(stateOf(world), 'r'))?.gone).toBe(true);
  });

  it('a row that has changed since the live read is not corrected', async () => {
    const world = await blind();
    await know(world, aClaim('a', 'gpu-0'), aPod('a'));
    const rule = aRule('r', start);
    const { live } = world.api;
    const read = live.read.bind(live);
    const later = { ...rule, resourceVersion: nextVersion(), generation: 2 };
    // The rule is created again during the read.
    Object.assign(live, {
      read: async (...of: Parameters<typeof read>) => {
        const answer = await read(...of);
        if (of[0] === 'DeviceTaintRule' && answer.kind === 'NotFound') await know(world, later);
        return answer;
      },
    });
    await tell(world, rule);
    await run(world, 20);
    expect((await readRule(stateOf(world), 'r'))?.gone).toBe(false);
  });
});
