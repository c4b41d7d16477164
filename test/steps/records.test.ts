// Every delete has one record with its reason, which never changes afterwards, and which is found by pod, rule and device.
import { describe, expect, it } from 'vitest';
import type { Change } from '../../lib/model/change.ts';
import type { DeviceTaintRule } from '../../lib/model/objects.ts';
import type { EvictionPolicy } from '../../lib/model/policy.ts';
import { dueAttributes } from '../../lib/state/dueIndex.ts';
import { findRecords, type RecordsOf } from '../../lib/state/findRecords.ts';
import { setPause } from '../../lib/state/pauseRows.ts';
import { readRecord } from '../../lib/state/readRecord.ts';
import { recordKey } from '../../lib/state/recordKeys.ts';
import { closeRecord, openRecord, readTally } from '../../lib/state/recordRows.ts';
import { aClaim, aHeartbeat, aPod, aRule, aSlice, nextVersion, upserted } from '../support/objects.ts';
import { createWorld, type World } from '../support/world.ts';

const start = 1_800_000_000_000;

const stateOf = ({ table, cluster }: World) => ({ table, cluster });
const recordOf = (world: World, uid: string) => readRecord(stateOf(world), uid);
const ingest = (world: World, ...body: readonly Change[]) => world.deliver({ stage: 'ingest', at: world.now(), body });

async function aFleet(world: World, ...names: string[]): Promise<World> {
  await ingest(world, aHeartbeat(start));
  for (const name of names) {
    world.api.pods.set(`default/${name}`, { uid: `uid-${name}`, terminating: false, marked: false });
    await ingest(world, upserted(aClaim(name, name)), upserted(aPod(name)));
  }
  return world;
}

async function put(world: World, rule: DeviceTaintRule): Promise<void> {
  world.api.rules.set(rule.name, { rule, conditions: [] });
  await ingest(world, upserted(rule));
}

async function run(world: World, seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 10) {
    await world.runUntil(world.now() + Math.min(10, seconds - passed) * 1000);
    await ingest(world, aHeartbeat(world.now()));
  }
}

const author = { manager: 'kubectl', operation: 'Update', at: start - 5000 };
const device = { driver: 'gpu.example.com', pool: 'node-1', device: 'a' };

describe('the record of an eviction', () => {
  it('the record of an eviction has rule, generation, author, taint, device attributes, policy, rate, token, due time and the API server’s responses', async () => {
    const world = await aFleet(createWorld({ start }), 'a');
    const attributes = { firmware: { version: '1.2.3' } };
    await ingest(world, upserted(aSlice('s', { devices: [{ name: 'a', attributes }] })));
    const policy: EvictionPolicy = {
      kind: 'EvictionPolicy',
      name: 'slow',
      uid: 'uid-slow',
      resourceVersion: nextVersion(),
      generation: 1,
      taints: {},
      evictionsPerSecond: 2,
      burst: 1,
    };
    await ingest(world, upserted(policy));
    await put(world, aRule('bad', start, { generation: 3, author }));
    await run(world, 10);
    expect(await recordOf(world, 'uid-a')).toMatchObject({
      pod: { namespace: 'default', name: 'a', uid: 'uid-a' },
      outcome: 'Evicted',
      because: [
        {
          origin: { kind: 'Rule', name: 'bad', uid: 'uid-bad', generation: 3 },
          taint: { key: 'example.com/bad', value: 'yes', effect: 'NoExecute', timeAdded: start },
          device,
        },
      ],
      dueAt: start,
      token: { limiter: 'rule|uid-bad', at: start, takenAt: start },
      grounds: {
        rate: { perSecond: 2, burst: 1 },
        policy: 'slow',
        authors: [{ rule: 'bad', by: author }],
        devices: [{ ...device, attributes }],
      },
      answers: { patch: 200, delete: 200 },
      attempts: 1,
      openedAt: start,
      closedAt: start,
    });
  });

  it('a pod that several taints evict has one record, which names all of them and is found by each, by device and by pod', async () => {
    const world = await aFleet(createWorld({ start }), 'a', 'b');
    await put(world, aRule('one', start, { annotations: { 'sluice.dev/paused': 'true' } }));
    await put(world, aRule('two', start));
    await run(world, 10);
    const record = await recordOf(world, 'uid-a');
    expect(record?.because.map(({ origin }) => origin.name).sort()).toEqual(['one', 'two']);
    expect(world.table.rows().filter(({ pk }) => pk.endsWith('#RECORD#uid-a'))).toHaveLength(1);
    const found = async (of: RecordsOf) =>
      (await findRecords(stateOf(world), of, 10)).map(({ pod }) => pod.name).sort();
    expect(await found({ kind: 'Rule', rule: 'one' })).toEqual(['a', 'b']);
    expect(await found({ kind: 'Rule', rule: 'two' })).toEqual(['a', 'b']);
    expect(await found({ kind: 'Rule', rule: 'three' })).toEqual([]);
    expect(await found({ kind: 'Device', device })).toEqual(['a']);
    expect(await found({ kind: 'Pod', pod: 'default/b' })).toEqual(['b']);
  });

  it('records of a slice are found by the slice, newest first, at most as many as requested', async () => {
    const world = await aFleet(createWorld({ start }), 'a', 'b', 'c');
    const taints = [{ key: 'example.com/bad', effect: 'NoExecute', timeAdded: start }];
    const names = ['a', 'b', 'c'];
    for (const [i] of names.entries()) {
      const devices = names.slice(0, i + 1).map((name) => ({ name, taints }));
      await ingest(world, upserted(aSlice('s', { devices })));
      await run(world, 10);
    }
    const of = { kind: 'Rule', rule: 'ResourceSlice/s' } as const;
    expect((await findRecords(stateOf(world), of, 2)).map(({ pod }) => pod.name)).toEqual(['c', 'b']);
  });

  it('the record of a pod that a budget blocked is opened again, and is the only one when the pod is evicted', async () => {
    const world = await aFleet(createWorld({ start }));
    const pod = aPod('a', { labels: { 'sluice.dev/eviction-mode': 'Evict' } });
    world.api.pods.set('default/a', { uid: 'uid-a', terminating: false, marked: false });
    const budget = { namespace: 'default', name: 'keep', allowed: 0, pods: ['a'] };
    world.api.disruptionBudgets.push(budget);
    await ingest(world, upserted(aClaim('a', 'a')), upserted(pod));
    await put(world, aRule('bad', start));
    await run(world, 5);
    const kept = await recordOf(world, 'uid-a');
    expect(kept).toMatchObject({ outcome: 'Abandoned', attempts: 1, answers: { patch: 200, eviction: 429 } });
    expect(kept?.closedAt).toBeUndefined();
    world.api.disruptionBudgets.pop();
    await run(world, 70);
    const gone = await recordOf(world, 'uid-a');
    expect(gone).toMatchObject({ outcome: 'Evicted', attempts: 2, answers: { patch: 200, eviction: 201 } });
    expect(gone?.why).toBeUndefined();
    expect(world.table.rows().filter(({ pk }) => pk.includes('#RECORDS#RULE#'))).toHaveLength(1);
    expect(await findRecords(stateOf(world), { kind: 'Pod', pod: 'default/a' }, 10)).toHaveLength(1);
  });
});

describe('a closed record', () => {
  it.each(['Evicted', 'Gone', 'OutcomeUnknown'] as const)(
    'a record closed as %s is neither opened nor closed again',
    async (outcome) => {
      const world = createWorld({ start });
      const [state, pod] = [stateOf(world), { namespace: 'default', name: 'a', uid: 'uid-a' }];
      const ledger = { podUid: 'uid-a', state: 'Deleting', listings: [], because: [], order: '' } as const;
      const grounds = { rate: { perSecond: 1, burst: 1 }, devices: [] };
      const open = (now: number) => openRecord(state, pod, { ledger, grounds, now, days: 90 });
      const written = { kind: 'Written' };
      expect(await world.table.transact(open(start))).toEqual(written);
      expect(await world.table.transact(closeRecord(state, pod, { outcome, now: start + 1 }))).toEqual(written);
      const closed = await recordOf(world, 'uid-a');
      for (const again of [
        open(start + 2),
        closeRecord(state, pod, { outcome: 'Evicted', why: 'once more', now: start + 2 }),
        closeRecord(state, pod, { outcome: 'Abandoned', now: start + 2 }),
      ])
        expect(await world.table.transact(again)).toEqual({ kind: 'Lost' });
      expect(await recordOf(world, 'uid-a')).toEqual(closed);
      expect(closed).toMatchObject({ outcome, closedAt: start + 1 });
    },
  );

  it.each([1, 90, 3650])('a record is kept for the %s days that the installation chose', async (recordDays) => {
    const world = await aFleet(createWorld({ start, recordDays }), 'a');
    await put(world, aRule('bad', start, {}));
    await run(world, 10);
    const rows = world.table.rows().filter(({ openedAt }) => typeof openedAt === 'number');
    expect(rows.length).toBeGreaterThan(0);
    for (const { openedAt, ttl } of rows)
      expect(Number(ttl) - Math.floor(Number(openedAt) / 1000)).toBe(recordDays * 86_400);
  });

  it('closing a record closes only the attempt that was read', async () => {
    const world = createWorld({ start });
    const [state, pod] = [stateOf(world), { namespace: 'default', name: 'a', uid: 'uid-a' }];
    const ledger = { podUid: 'uid-a', state: 'Deleting', listings: [], because: [], order: '' } as const;
    const grounds = { rate: { perSecond: 1, burst: 1 }, devices: [] };
    const close = (openedAt: number) =>
      world.table.transact(closeRecord(state, pod, { outcome: 'Gone', openedAt, now: start + 9 }));
    await world.table.transact(openRecord(state, pod, { ledger, grounds, now: start, days: 90 }));
    expect(await close(start - 1)).toEqual({ kind: 'Lost' });
    expect(await close(start)).toEqual({ kind: 'Written' });
  });
});

describe('an intent that is open for thirty seconds', () => {
  const intents = (world: World) =>
    world.table.rows().filter(({ pk, due }) => /#(INTENT|RECORD)#/.test(pk) && due !== undefined);

  it('an intent whose pod was replaced under its name is closed as OutcomeUnknown, and counted', async () => {
    const world = await aFleet(createWorld({ start }), 'a');
    world.api.unheardDeletes = 1;
    await put(world, aRule('bad', start));
    await run(world, 10);
    expect(await recordOf(world, 'uid-a')).toMatchObject({ outcome: 'Open' });
    expect(intents(world)).toHaveLength(1);
    world.api.pods.set('default/a', { uid: 'uid-second', terminating: false, marked: false });
    await ingest(world, upserted(aPod('a', { uid: 'uid-second', resourceClaims: [] })));
    await run(world, 130);
    expect(await recordOf(world, 'uid-a')).toMatchObject({ outcome: 'OutcomeUnknown', closedAt: expect.any(Number) });
    expect(await readTally(stateOf(world), 'uid-bad')).toBe(1);
    expect(intents(world)).toEqual([]);
    expect(world.api.deletes).toHaveLength(1);
  });

  it('an intent without an open record is deleted', async () => {
    const world = await aFleet(createWorld({ start }));
    const pod = { namespace: 'default', name: 'a', uid: 'uid-a' };
    const openedAt = start - 60_000;
    const state = stateOf(world);
    const intent = { pk: `${world.cluster}#INTENT#3`, sk: 'uid-a' };
    const row = { ...intent, pod, openedAt, ...dueAttributes(state, intent, openedAt) };
    await world.table.write({ kind: 'Put', row });
    await world.table.write({
      kind: 'Put',
      row: {
        ...recordKey(world.cluster, 'b'),
        outcome: 'Gone',
        ...dueAttributes(state, recordKey(world.cluster, 'b'), 0),
      },
    });
    expect(intents(world)).toHaveLength(2);
    await run(world, 70);
    expect(intents(world)).toEqual([]);
  });

  it('an intent whose pod still exists is abandoned without a mark, even while everything is paused', async () => {
    let crashes = 1;
    const world = await aFleet(
      createWorld({
        start,
        around: async (name, call) => {
          if (name === 'mark' && crashes-- > 0) throw new Error('the function ends at mark');
          return call();
        },
      }),
      'a',
    );
    await put(world, aRule('bad', start));
    await run(world, 5);
    expect(await recordOf(world, 'uid-a')).toMatchObject({ outcome: 'Open' });
    const everything = { table: world.table, cluster: undefined };
    await setPause(everything, { name: 'incident', why: '', since: world.now() });
    await run(world, 130);
    const given = await recordOf(world, 'uid-a');
    expect(given).toMatchObject({ outcome: 'Abandoned', why: expect.stringContaining('still there') });
    expect(world.api.pods.get('default/a')).toMatchObject({ marked: false, terminating: false });
    expect(intents(world)).toEqual([]);
  });
});
