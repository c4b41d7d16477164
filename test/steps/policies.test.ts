// EvictionPolicies through the whole path: rates, windows and limits, for rules and for slice taints.
import { describe, expect, it } from 'vitest';
import { aClass, aPacedRule, aRule, aSlice, deleted, nextVersion, upserted } from '../support/objects.ts';
import { evictionPolicy } from '../support/pacedBuilders.ts';
import { pacedWorld, start } from '../support/pacedWorld.ts';

const pods = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, {}]));
const held = 'sluice.dev/Held';

describe('an EvictionPolicy', () => {
  it('an EvictionPolicy sets the rate of native rules that it selects', async () => {
    const { world, ingest, ask, run, gone } = await pacedWorld(pods(20));
    await ask(evictionPolicy({ taints: { keys: ['example.com/*'] }, evictionsPerSecond: 1, burst: 1 }));
    const native = aRule('n', start);
    world.api.rules.set('n', { rule: native, conditions: [] });
    await ingest(upserted(native));
    await run(5);
    expect(gone().length).toBeGreaterThanOrEqual(5);
    expect(gone().length).toBeLessThanOrEqual(7);
  });

  it('an EvictionPolicy sets the rate of slice taints', async () => {
    const tainted = { taints: [{ key: 'example.com/ecc', effect: 'NoExecute', timeAdded: start }] };
    const { ask, ingest, run, gone } = await pacedWorld(pods(10));
    await ask(evictionPolicy({ taints: { sources: ['ResourceSlice'] }, evictionsPerSecond: 1, burst: 1 }));
    await ingest(
      ...Object.keys(pods(10)).map((name) => upserted(aSlice(`slice-${name}`, { devices: [{ name, ...tainted }] }))),
    );
    await run(5);
    expect(gone().length).toBeGreaterThanOrEqual(4);
    expect(gone().length).toBeLessThanOrEqual(7);
  });

  it('a paused EvictionPolicy holds its rules until it is resumed', async () => {
    const { ask, write, run, gone, condition } = await pacedWorld(pods(3));
    await ask(evictionPolicy({ paused: true }));
    await write(aPacedRule('r'));
    await run(15);
    expect(gone()).toEqual([]);
    expect(condition('r', held)).toMatchObject({
      status: 'True',
      reason: 'Paused',
      message: 'Paused by EvictionPolicy policy.',
    });
    await ask(evictionPolicy({ generation: 2 }));
    await run(15);
    expect(gone()).toHaveLength(3);
    expect(condition('r', held)).toMatchObject({ status: 'False' });
  });

  it('an EvictionPolicy may have several named pauses, and continues when the last one is removed', async () => {
    const { ask, write, run, gone, condition } = await pacedWorld(pods(3));
    await ask(evictionPolicy({ annotations: { 'pause.sluice.dev/a': 'x', 'pause.sluice.dev/b': '' } }));
    await write(aPacedRule('r'));
    await run(15);
    expect(condition('r', held)).toMatchObject({ message: 'Paused by EvictionPolicy policy: a (x); b.' });
    await ask(evictionPolicy({ annotations: { 'pause.sluice.dev/b': '' } }));
    await run(15);
    expect(gone()).toEqual([]);
    await ask(evictionPolicy());
    await run(5);
    expect(gone()).toHaveLength(3);
  });

  it('an EvictionPolicy is named in the status of its rules, even if it sets no rate', async () => {
    const { ask, write, run, condition } = await pacedWorld(pods(30));
    await ask(evictionPolicy({ loopLimit: 2 }));
    await write(aPacedRule('r'));
    await run(2);
    expect(condition('r', 'sluice.dev/Pacing')?.message).toContain('(under EvictionPolicy policy)');
  });

  it('a paused EvictionPolicy contradicts an equally specific one that is not paused', async () => {
    const { ask, write, run, gone, condition } = await pacedWorld(pods(3));
    await ask(evictionPolicy());
    await ask(evictionPolicy({ name: 'second', uid: 'second', annotations: { 'sluice.dev/paused': 'true' } }));
    await write(aPacedRule('r'));
    await run(15);
    expect(gone()).toEqual([]);
    expect(condition('r', held)).toMatchObject({ reason: 'PoliciesContradict' });
  });

  it('an EvictionPolicy that is paused in the middle of an eviction stops it within a second', async () => {
    const { world, ask, write, run, gone } = await pacedWorld(pods(60));
    await write(aPacedRule('r'));
    await run(3);
    const stoppedAt = world.now();
    await ask(evictionPolicy({ paused: true }));
    await run(30);
    expect(gone().length).toBeGreaterThan(10);
    expect(gone().length).toBeLessThan(60);
    expect(world.api.deletes.every(({ at }) => at <= stoppedAt + 1000)).toBe(true);
  });

  it('a policy that only pauses keeps the pods of its taint, and those of another taint go at the rate of their policy', async () => {
    const [bad, other] = ['bad', 'other'].map((key) => ({ key, effect: 'NoExecute', timeAdded: start }));
    const { ask, ingest, run, gone } = await pacedWorld(pods(20));
    await ask(evictionPolicy({ evictionsPerSecond: 1, burst: 1 }));
    const only = evictionPolicy({
      name: 'only',
      uid: 'only',
      taints: { keys: ['bad'] },
      paused: true,
      pauseOnly: true,
    });
    await ask(only);
    const names = Object.keys(pods(20));
    const slices = names.map((name, i) =>
      aSlice(`slice-${name}`, { devices: [{ name, taints: [i < 10 ? bad : other].flatMap((one) => one ?? []) }] }),
    );
    await ingest(...slices.map((slice) => upserted(slice)));
    await run(20);
    expect(gone()).toEqual(names.slice(10).sort());
    await ingest(deleted({ ...only, resourceVersion: nextVersion() }));
    await run(5);
    // Nothing waits for a decision, and the rate is that of the other policy.
    expect(gone().length).toBeGreaterThanOrEqual(14);
    expect(gone().length).toBeLessThanOrEqual(16);
  });

  it('a policy that only pauses stops a rule within a second, also where no policy has settings for it', async () => {
    const { world, ask, write, run, gone, condition } = await pacedWorld(pods(60));
    await write(aPacedRule('r'));
    await run(3);
    const stoppedAt = world.now();
    const only = evictionPolicy({ name: 'only', pauseOnly: true, annotations: { 'pause.sluice.dev/manual': 'ada' } });
    await ask(only);
    await run(15);
    expect(gone().length).toBeGreaterThan(10);
    expect(gone().length).toBeLessThan(60);
    expect(world.api.deletes.every(({ at }) => at <= stoppedAt + 1000)).toBe(true);
    const message = 'Paused by EvictionPolicy only: manual (ada).';
    expect(condition('r', held)).toMatchObject({ status: 'True', reason: 'Paused', message });
    await ask({ ...only, annotations: {}, resourceVersion: nextVersion() });
    await run(10);
    expect(gone()).toHaveLength(60);
    expect(condition('r', held)).toMatchObject({ status: 'False' });
  });

  it('a policy that only pauses does not hide that the policy of its taint was deleted', async () => {
    const tainted = { taints: [{ key: 'bad', effect: 'NoExecute', timeAdded: start }] };
    const { ask, ingest, run, gone } = await pacedWorld(pods(5));
    const settings = evictionPolicy({ evictionsPerSecond: 0.01, burst: 1 });
    const only = evictionPolicy({ name: 'only', uid: 'only', paused: true, pauseOnly: true });
    await ask(settings);
    await ask(only);
    const slices = Object.keys(pods(5)).map((name) => aSlice(`slice-${name}`, { devices: [{ name, ...tainted }] }));
    await ingest(...slices.map((slice) => upserted(slice)));
    await run(15);
    await ingest(deleted({ ...settings, resourceVersion: nextVersion() }));
    await run(15);
    await ingest(deleted({ ...only, resourceVersion: nextVersion() }));
    await run(60);
    expect(gone()).toEqual([]);
  });

  it('an EvictionPolicy with windows evicts only within them, and says when they open', async () => {
    // `start` is 2027-01-15T08:00:00Z.
    const { ask, write, run, gone, condition } = await pacedWorld(pods(3));
    await ask(evictionPolicy({ windows: [{ schedule: '2 8 * * *', duration: 3_600_000 }] }));
    await write(aPacedRule('r'));
    await run(60);
    expect(gone()).toEqual([]);
    expect(condition('r', held)).toMatchObject({
      reason: 'OutsideWindow',
      message: 'Outside the windows of EvictionPolicy policy: they open at 2027-01-15T08:02:00Z.',
    });
    // The API server refuses a condition with any other field.
    expect(Object.keys(condition('r', held) ?? {}).sort()).toEqual([
      'lastTransitionTime',
      'message',
      'observedGeneration',
      'reason',
      'status',
      'type',
    ]);
    await run(150);
    expect(gone()).toHaveLength(3);
  });

  it.each([
    ['outside its windows', 'OutsideWindow', { windows: [{ schedule: '3 8 * * *', duration: 3_600_000 }] }, {}],
    ['while it is paused', 'Paused', {}, { 'pause.sluice.dev/audit': '' }],
  ] as const)(
    'a rule that waits for an approval can be approved %s, and evicts once that ends',
    async (_, reason, more, annotations) => {
      const { ask, write, run, gone, condition, live } = await pacedWorld(pods(3));
      await ask(evictionPolicy({ approval: 'Required', ...more }));
      await write(aPacedRule('r', { annotations }));
      await run(60);
      const message = condition('r', held)?.message ?? '';
      expect(condition('r', held)).toMatchObject({ status: 'True', reason });
      expect(message).toMatch(/^(Outside the windows|Paused by audit).*3 pods in 1 namespaces would be evicted\./);
      const digest = /sluice.dev\/approve=([0-9a-f]{12})/.exec(message)?.[1] ?? '';
      const rule = live('r');
      if (!rule) throw new Error('the rule is not there');
      await write({ ...rule, annotations: { ...annotations, 'sluice.dev/approve': digest } });
      await run(60);
      expect(gone()).toEqual([]);
      expect(condition('r', held)?.message).not.toContain('sluice.dev/approve');
      if (reason === 'Paused') await write({ ...rule, annotations: { 'sluice.dev/approve': digest } });
      await run(180);
      expect(gone()).toHaveLength(3);
    },
  );

  it('an unusable EvictionPolicy says so in its status, and evicts no pod until it is fixed', async () => {
    const { world, ask, write, run, gone, condition } = await pacedWorld(pods(3));
    await ask(evictionPolicy({ windows: [{ schedule: '0 0 * * *', duration: 1, timeZone: 'Mars/Olympus' }] }));
    await write(aPacedRule('r'));
    await run(15);
    expect(gone()).toEqual([]);
    expect(world.api.policyObjects.get('policy')?.conditions).toMatchObject([
      {
        type: 'Accepted',
        status: 'False',
        reason: 'PolicyUnusable',
        message: expect.stringContaining('"Mars/Olympus" does not exist'),
      },
    ]);
    expect(condition('r', held)).toMatchObject({ status: 'True', reason: 'PolicyUnusable' });
    await ask(evictionPolicy({ generation: 2 }));
    await run(15);
    expect(world.api.policyObjects.get('policy')?.conditions).toMatchObject([{ status: 'True', reason: 'Accepted' }]);
    expect(gone()).toHaveLength(3);
  });

  it('an EvictionPolicy with limits holds a rule that exceeds them before the first eviction, until its plan is approved', async () => {
    const { ask, write, run, gone, condition, live } = await pacedWorld(pods(25));
    await ask(evictionPolicy({ limits: { maxPods: 24 } }));
    await write(aPacedRule('r'));
    await run(70);
    expect(gone()).toEqual([]);
    expect(condition('r', held)).toMatchObject({ status: 'True', reason: 'OverLimits' });
    const digest = /sluice.dev\/approve=([0-9a-f]{12})/.exec(condition('r', held)?.message ?? '')?.[1] ?? '';
    const rule = live('r');
    if (!rule) throw new Error('the rule is not there');
    await write({ ...rule, annotations: { 'sluice.dev/approve': digest } });
    await run(15);
    expect(gone()).toHaveLength(25);
  });

  it('an EvictionPolicy with limits holds a rule that exceeds them once its DeviceClass exists, before the first eviction', async () => {
    const { ask, ingest, write, run, gone, condition } = await pacedWorld(pods(1200));
    await ask(evictionPolicy({ limits: { maxPods: 24 } }));
    await write(aPacedRule('r', { deviceSelector: { deviceClassName: 'gpu' } }));
    await run(15);
    await ingest(upserted(aClass('gpu', ["device.driver == 'gpu.example.com'"])));
    await run(70);
    expect(gone()).toEqual([]);
    expect(condition('r', held)).toMatchObject({ status: 'True', reason: 'OverLimits' });
  });

  it('an EvictionPolicy with limits does not delay a rule that keeps them', async () => {
    const { ask, write, run, gone } = await pacedWorld(pods(24));
    await ask(evictionPolicy({ limits: { maxPods: 24 } }));
    await write(aPacedRule('r'));
    await run(10);
    expect(gone()).toHaveLength(24);
  });

  it('an EvictionPolicy with maxPercent holds a rule that reaches more of its driver’s pods', async () => {
    const { ask, write, run, gone, condition } = await pacedWorld(pods(20));
    await ask(evictionPolicy({ limits: { maxPercent: 50 } }));
    await write(aPacedRule('r'));
    await run(30);
    expect(gone()).toEqual([]);
    expect(condition('r', held)).toMatchObject({ status: 'True', reason: 'OverLimits' });
    expect(condition('r', held)?.message).toMatch(
      /^Over the limits of EvictionPolicy policy \(maxPercent 50: 10 of 20 pods that use driver gpu.example.com\): 20 pods in 1 namespaces would be evicted. To evict them: .*=[0-9a-f]{12}$/,
    );
  });

  it('an EvictionPolicy with maxPercent does not hold a rule that reaches few enough pods of a DeviceClass', async () => {
    const healthy = (at: boolean) => ({ attributes: { healthy: { bool: at } } });
    const devices = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`p${i}`, healthy(i > 2)]));
    const { ingest, ask, write, run, gone } = await pacedWorld(devices);
    await ingest(upserted(aClass('gpu', ["device.driver == 'gpu.example.com'"])));
    await ask(evictionPolicy({ limits: { maxPercent: 30 } }));
    await write(
      aPacedRule('r', {
        deviceSelector: {
          deviceClassName: 'gpu',
          selectors: ["!device.attributes['gpu.example.com'].healthy"],
        },
      }),
    );
    await run(30);
    expect(gone()).toEqual(['p0', 'p1', 'p2']);
  });

  it('an EvictionPolicy holds one taint of a rule and not another, and says so', async () => {
    const { ask, write, run, gone, condition } = await pacedWorld(pods(3));
    await ask(evictionPolicy({ taints: { keys: ['a'] }, paused: true }));
    const taint = (key: string, more: object = {}) => ({ key, effect: 'NoExecute', ...more });
    await write(aPacedRule('r', { taints: [taint('b', { evictionsPerSecond: 0 }), taint('a')] }));
    await run(15);
    expect(gone()).toEqual([]);
    expect(condition('r', held)).toMatchObject({
      reason: 'Paused',
      message: 'b: Its rate is 0 (evictionsPerSecond of its taint). a: Paused by EvictionPolicy policy.',
    });
    await write(aPacedRule('r', { generation: 2, taints: [taint('b'), taint('a')] }));
    await run(15);
    expect(gone()).toHaveLength(3);
    expect(condition('r', held)).toMatchObject({
      status: 'True',
      message: 'a: Paused by EvictionPolicy policy. Pods continue for its other taints.',
    });
  });

  it('an EvictionPolicy requires approval of one taint although another taint of the rule keeps its limits', async () => {
    const { ask, write, run, gone, condition } = await pacedWorld(pods(3));
    await ask(
      evictionPolicy({ name: 'p1', uid: 'p1', taints: { keys: ['a'] }, limits: { maxPods: 9 }, evictionsPerSecond: 0 }),
    );
    await ask(evictionPolicy({ name: 'p2', uid: 'p2', taints: { keys: ['b'] }, approval: 'Required' }));
    await write(aPacedRule('r', { taints: ['a', 'b'].map((key) => ({ key, effect: 'NoExecute' })) }));
    await run(15);
    expect(gone()).toEqual([]);
    expect(condition('r', held)).toMatchObject({ status: 'True', reason: 'AwaitingApproval' });
    expect(condition('r', held)?.message).toContain('EvictionPolicy p2 asks for an approval');
  });

  it('an EvictionPolicy that requires approval holds slice taints', async () => {
    const taints = [{ key: 'example.com/ecc', effect: 'NoExecute', timeAdded: start }];
    const { ask, ingest, run, gone } = await pacedWorld(pods(1));
    await ask(evictionPolicy({ approval: 'Required' }));
    await ingest(upserted(aSlice('slice-p0', { devices: [{ name: 'p0', taints }] })));
    await run(15);
    expect(gone()).toEqual([]);
  });

  it('an EvictionPolicy that requires approval holds every rule', async () => {
    const { ask, write, run, gone, condition } = await pacedWorld(pods(2));
    await ask(evictionPolicy({ approval: 'Required' }));
    await write(aPacedRule('r'));
    await run(15);
    expect(gone()).toEqual([]);
    expect(condition('r', held)).toMatchObject({ status: 'True', reason: 'AwaitingApproval' });
  });
});
