// PacedTaintRules through the whole path: what they select, from when they count, and at what rate they evict.
import { describe, expect, it } from 'vitest';
import { originKey } from '../../lib/model/verdict.ts';
import { readRecord } from '../../lib/state/readRecord.ts';
import { aClaim, aClass, aPacedRule, aPod, aSlice, deleted, nextVersion, upserted } from '../support/objects.ts';
import { pacedWorld, start } from '../support/pacedWorld.ts';

const broken = { attributes: { healthy: { bool: false } } };
const healthy = { attributes: { healthy: { bool: true } } };
const isBroken = 'device.attributes["gpu.example.com"].healthy == false';
const noExecute = { key: 'example.com/bad', effect: 'NoExecute' };

describe('a taint of a PacedTaintRule', () => {
  it('a PacedTaintRule evicts no pod before its timeAdded is in the status', async () => {
    const { world, write, run, gone, live } = await pacedWorld({ a: {}, b: {} });
    await write(aPacedRule('bad'));
    expect(live('bad')?.seen).toEqual([]);
    await run(1);
    expect(live('bad')?.seen).toEqual([{ ...noExecute, timeAdded: start }]);
    await run(5);
    expect(gone()).toEqual(['a', 'b']);
    const record = await readRecord({ table: world.table, cluster: world.cluster }, 'uid-a');
    expect(record?.because.map(originKey)).toEqual(['rule|uid-bad|example.com/bad|NoExecute']);
  });

  it('a PacedTaintRule is not reported as Completed before its pods are evaluated', async () => {
    const { world, write, run } = await pacedWorld({ a: {}, b: {} });
    const said: string[] = [];
    const { apply } = world.api.ruleStatus;
    world.api.ruleStatus.apply = async (rule, conditions, part) => {
      const told = conditions.filter(({ type }) => type === 'EvictionInProgress');
      said.push(...told.map(({ status, reason }) => `${status} ${reason}`));
      return apply(rule, conditions, part);
    };
    await write(aPacedRule('bad', { taints: [{ ...noExecute, evictionsPerSecond: 0.1, burst: 1 }] }));
    await run(60);
    expect(said).toEqual(['True PodsPendingEviction', 'False Completed']);
  });

  it('a toleration of 300 s begins when the effect changes from None to NoExecute, however old the taint is', async () => {
    const { world, ingest, write, run, gone } = await pacedWorld({});
    const tolerations = [{ key: 'example.com/bad', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }];
    const devices = [{ request: 'gpu', driver: 'gpu.example.com', pool: 'node-1', device: 'a', tolerations }];
    world.api.pods.set('default/a', { uid: 'uid-a', terminating: false, marked: false });
    await ingest(upserted(aClaim('a', 'a', { allocation: { devices } })), upserted(aPod('a')));
    const timeAdded = start - 7 * 24 * 3_600_000;
    const none = aPacedRule('bad', { taints: [{ key: 'example.com/bad', effect: 'None', timeAdded }] });
    await write(none);
    await run(5);
    await write({ ...none, generation: 2, taints: [{ ...noExecute, timeAdded }] });
    const changedAt = world.now();
    await run(295);
    expect(gone()).toEqual([]);
    await run(20);
    expect(gone()).toEqual(['a']);
    expect((world.api.deletes[0]?.at ?? 0) - changedAt).toBeGreaterThanOrEqual(300_000);
  });

  it('a taint with timeAdded in the spec counts from that time', async () => {
    const { write, run, live } = await pacedWorld({});
    const timeAdded = start - 60_000;
    await write(aPacedRule('bad', { taints: [{ ...noExecute, timeAdded }] }));
    await run(1);
    expect(live('bad')?.seen).toEqual([{ ...noExecute, timeAdded, specTimeAdded: timeAdded }]);
  });

  it('each taint of a rule has its own rate and bucket', async () => {
    const names = Array.from({ length: 12 }, (_, i) => `p${i}`);
    const { world, write, run, gone } = await pacedWorld(Object.fromEntries(names.map((name) => [name, {}])));
    const taints = [
      { ...noExecute, evictionsPerSecond: 0.1, burst: 1 },
      { key: 'example.com/other', effect: 'NoExecute', evictionsPerSecond: 1, burst: 1 },
    ];
    await write(aPacedRule('bad', { taints }));
    await run(6);
    // One burst each, and about six pods at the faster rate.
    expect(gone().length).toBeGreaterThanOrEqual(6);
    expect(gone().length).toBeLessThanOrEqual(9);
    await run(10);
    expect(gone()).toHaveLength(12);
    expect(world.api.deletes).toHaveLength(12);
  });
});

describe('a selector', () => {
  it('an expression selects the devices for which it is true, and none for which it fails', async () => {
    const { write, run, gone, condition } = await pacedWorld({ bad: broken, good: healthy, other: {} });
    await write(aPacedRule('r', { deviceSelector: { selectors: [isBroken] } }));
    await run(15);
    expect(gone()).toEqual(['bad']);
    expect(condition('r', 'EvictionInProgress')).toMatchObject({ status: 'False', reason: 'Completed' });
  });

  it('an expression that cannot be parsed selects no device, and the condition shows the position', async () => {
    const { write, run, gone, condition } = await pacedWorld({ bad: broken });
    await write(aPacedRule('r', { deviceSelector: { selectors: ['device.nonsense +'] } }));
    await run(15);
    expect(gone()).toEqual([]);
    expect(condition('r', 'sluice.dev/Held')).toMatchObject({ status: 'True', reason: 'SelectorRefused' });
    expect(condition('r', 'sluice.dev/Held')?.message).toMatch(/selectors\[0\].*line 1, column/);
  });

  it('a deviceClassName selects once its DeviceClass exists, follows it, and selects no more when it is deleted', async () => {
    const { ingest, write, run, gone, condition } = await pacedWorld({ bad: broken, good: healthy });
    await write(aPacedRule('r', { deviceSelector: { deviceClassName: 'broken' } }));
    await run(15);
    expect(gone()).toEqual([]);
    expect(condition('r', 'sluice.dev/Held')).toMatchObject({ status: 'True', reason: 'DeviceClassNotFound' });
    await ingest(upserted(aClass('broken', [isBroken])));
    await run(15);
    expect(gone()).toEqual(['bad']);
    expect(condition('r', 'sluice.dev/Held')).toMatchObject({ status: 'False' });
    await ingest(upserted(aClass('broken', ['true'])));
    await run(5);
    expect(gone()).toEqual(['bad', 'good']);
    await ingest(deleted(aClass('broken', ['true'])));
    await ingest(upserted(aClaim('late', 'late')), upserted(aPod('late')));
    await run(15);
    expect(gone()).toEqual(['bad', 'good']);
    expect(condition('r', 'sluice.dev/Held')).toMatchObject({ status: 'True', reason: 'DeviceClassNotFound' });
  });

  it('a selector by existing taint selects a device once it has had the taint for minAge', async () => {
    const xid = { key: 'gpu.example.com/xid', value: '79', effect: 'NoSchedule', timeAdded: start };
    const { write, run, gone } = await pacedWorld({
      a: { taints: [xid] },
      b: { taints: [{ ...xid, value: '13' }] },
      c: {},
    });
    const deviceTaints = [{ key: xid.key, value: '79', minAge: 120_000 }];
    await write(aPacedRule('r', { deviceSelector: { deviceTaints } }));
    await run(110);
    expect(gone()).toEqual([]);
    await run(20);
    expect(gone()).toEqual(['a']);
  });

  it('a selector by existing taint keeps the pod of a device that heals before minAge', async () => {
    const xid = { key: 'gpu.example.com/xid', value: '79', effect: 'NoSchedule', timeAdded: start };
    const { ingest, write, run, gone, world } = await pacedWorld({ a: { taints: [xid] } });
    await write(aPacedRule('r', { deviceSelector: { deviceTaints: [{ key: xid.key, minAge: 120_000 }] } }));
    await run(60);
    await ingest(upserted(aSlice('slice-a', { devices: [{ name: 'a' }] })));
    await run(90);
    expect(gone()).toEqual([]);
    expect([...world.api.recorded.values()].map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/^Cancelling deletion: PacedTaintRule r: taint/),
    );
  });
});

describe('properties of a device', () => {
  it('attributes of a device count only while a slice publishes it', async () => {
    const { ingest, write, run, gone, condition } = await pacedWorld({ bad: broken, good: healthy });
    await ingest(deleted(aSlice('slice-bad', { devices: [{ name: 'bad', ...broken }] })));
    await write(aPacedRule('r', { deviceSelector: { selectors: [isBroken] } }));
    await run(15);
    expect(gone()).toEqual([]);
    expect(condition('r', 'EvictionInProgress')?.message).toBe(
      '1 allocated device with unknown attributes, not acted on.',
    );
    await ingest(upserted(aSlice('slice-again', { devices: [{ name: 'bad', ...broken }] })));
    await run(15);
    expect(gone()).toEqual(['bad']);
  });

  it('a slice that only a message has shown gives no device attributes by which its pod is evicted', async () => {
    const { world, ingest, write, run, gone } = await pacedWorld({});
    world.api.pods.set('default/a', { uid: 'uid-a', terminating: false, marked: false });
    await ingest(upserted(aClaim('a', 'gpu-9')), upserted(aPod('a')));
    const forged = aSlice('forged', { devices: [{ name: 'gpu-9', ...broken }] });
    await ingest(upserted(forged));
    await ingest(deleted(forged));
    await write(aPacedRule('r', { deviceSelector: { selectors: [isBroken] } }));
    await run(120);
    expect(gone()).toEqual([]);
  });

  it('a device that was never seen evicts no pod, and the undecided pod is counted', async () => {
    const { world, ingest, write, run, gone, condition } = await pacedWorld({});
    world.api.pods.set('default/a', { uid: 'uid-a', terminating: false, marked: false });
    await ingest(upserted(aClaim('a', 'unseen')), upserted(aPod('a')));
    await write(aPacedRule('r', { deviceSelector: { selectors: ['true'] } }));
    await run(15);
    expect(gone()).toEqual([]);
    expect(world.metrics.get('VerdictsUnknown')).toBeGreaterThan(0);
    expect(condition('r', 'EvictionInProgress')?.message).toBe(
      '1 allocated device with unknown attributes, not acted on.',
    );
  });

  it('attributes that change under the same device name cancel a pending eviction', async () => {
    const { ingest, write, run, gone } = await pacedWorld({ a: { attributes: { uuid: { string: 'old' } } } });
    const selectors = ['device.attributes["gpu.example.com"].uuid == "old"'];
    const taints = [{ ...noExecute, evictionsPerSecond: 0 }];
    const rule = aPacedRule('r', { deviceSelector: { selectors }, taints });
    await write(rule);
    await run(5);
    await ingest(upserted(aSlice('slice-a', { devices: [{ name: 'a', attributes: { uuid: { string: 'new' } } }] })));
    await write({ ...rule, generation: 2, taints: [noExecute] });
    await run(15);
    expect(gone()).toEqual([]);
  });
});

describe('a PacedTaintRule', () => {
  it('a PacedTaintRule evicts only the pods in its scope', async () => {
    const { ingest, write, run, gone } = await pacedWorld({ a: {}, b: {}, c: {} });
    await ingest(
      upserted(aPod('a', { labels: { team: 'x' } })),
      upserted(aPod('b', { labels: { team: 'x' }, priority: 9 })),
    );
    const pods = { namespaces: ['default'], labels: [{ key: 'team', operator: 'In', values: ['x'] }], maxPriority: 5 };
    await write(aPacedRule('r', { pods }));
    await run(15);
    expect(gone()).toEqual(['a']);
  });

  it('a PacedTaintRule replaces the same taint of a rule with lower priority, at its own rate', async () => {
    const { write, run, gone } = await pacedWorld({ a: {} });
    await write(aPacedRule('slow', { priority: 10, taints: [{ ...noExecute, evictionsPerSecond: 0, burst: 1 }] }));
    await write(aPacedRule('fast', { priority: 1 }));
    await run(15);
    expect(gone()).toEqual([]);
  });

  it('a PacedTaintRule deleted before its timeAdded was written leaves its pods to the rule that it replaced', async () => {
    const { ingest, write, run, gone } = await pacedWorld({ a: {} });
    // No status is written for a rule that the API server does not have any more.
    const passing = aPacedRule('passing', { priority: 10 });
    await ingest(upserted(passing));
    await write(aPacedRule('lasting', { priority: 1 }));
    await run(15);
    expect(gone()).toEqual([]);
    await ingest(deleted(passing));
    await run(15);
    expect(gone()).toEqual(['a']);
  });

  it('a PacedTaintRule over all devices waits for an approval, as the empty selector of a native rule does', async () => {
    const { write, run, gone, condition, live } = await pacedWorld({ a: {}, b: {} }, { holdEmptySelector: true });
    await write(aPacedRule('r', { deviceSelector: { all: true } }));
    await run(15);
    expect(gone()).toEqual([]);
    const message = condition('r', 'sluice.dev/Held')?.message ?? '';
    const digest = /kubectl annotate --overwrite pacedtaintrule r sluice.dev\/approve=([0-9a-f]{12})/.exec(
      message,
    )?.[1];
    const rule = live('r');
    if (!rule) throw new Error('the rule is not there');
    await write({ ...rule, annotations: { 'sluice.dev/approve': digest ?? '' } });
    await run(15);
    expect(gone()).toEqual(['a', 'b']);
  });

  it('a PacedTaintRule that is paused or has expired evicts no pod, and says why', async () => {
    const { write, run, gone, condition } = await pacedWorld({ a: {} });
    const rule = aPacedRule('r', { paused: true });
    await write(rule);
    await run(15);
    expect(condition('r', 'sluice.dev/Held')?.message).toBe('Paused by spec.paused.');
    const { paused: _, ...rest } = rule;
    await write({ ...rest, generation: 2, expiresAt: new Date(start).toISOString() });
    await run(15);
    expect(gone()).toEqual([]);
    expect(condition('r', 'sluice.dev/Held')).toMatchObject({ reason: 'Expired' });
  });

  it('a PacedTaintRule deleted in the middle of an eviction keeps the remaining pods', async () => {
    const names = Array.from({ length: 30 }, (_, i) => `p${i}`);
    const { world, ingest, write, run, gone, live } = await pacedWorld(
      Object.fromEntries(names.map((name) => [name, {}])),
    );
    await write(aPacedRule('r'));
    await run(1);
    const rule = live('r');
    if (!rule) throw new Error('the rule is not there');
    world.api.rules.clear();
    await ingest(deleted({ ...rule, resourceVersion: nextVersion() }));
    await run(30);
    expect(gone().length).toBeLessThan(30);
    expect(world.api.deletes.every(({ at }) => at < start + 3000)).toBe(true);
  });
});

describe('tolerations in an annotation', () => {
  const tolerated = (key: string) => ({
    annotations: {
      'sluice.dev/tolerations': JSON.stringify({ gpu: [{ key, operator: 'Exists', effect: 'NoExecute' }] }),
    },
  });

  it('tolerations in an annotation count as they stand: an edit after the allocation keeps the pod, or has it evicted', async () => {
    const { world, ingest, write, run, gone } = await pacedWorld({});
    for (const name of ['a', 'b'])
      world.api.pods.set(`default/${name}`, { uid: `uid-${name}`, terminating: false, marked: false });
    await ingest(upserted(aClaim('a', 'a', tolerated(noExecute.key))), upserted(aPod('a')));
    await ingest(upserted(aClaim('b', 'b')), upserted(aPod('b')));
    await ingest(upserted(aClaim('b', 'b', tolerated(noExecute.key))));
    await ingest(upserted(aClaim('a', 'a', tolerated('example.com/other'))));
    await write(aPacedRule('r'));
    await run(15);
    expect(gone()).toEqual(['a']);
    const ignored = [...world.api.recorded.values()].filter(({ reason }) => reason === 'TolerationsIgnored');
    expect(ignored).toEqual([]);
  });
});
