// `why`: the reason why a pod was evicted, is pending or is kept, after the real steps have run.
import { describe, expect, it } from 'vitest';
import { approvalAnnotations } from '../../lib/model/approvalNote.ts';
import type { Change } from '../../lib/model/change.ts';
import type { Ledger } from '../../lib/model/eviction.ts';
import type { DeviceTaintRule } from '../../lib/model/objects.ts';
import { setPause } from '../../lib/state/pauseRows.ts';
import { readClusterProgress } from '../../lib/view/readModel.ts';
import { explainRecords, readWhy, renderWhy } from '../../lib/view/why.ts';
import { aClaim, aHeartbeat, aPod, aRule, aSlice, deleted, nextVersion, upserted } from '../support/objects.ts';
import { evictionPolicy } from '../support/pacedBuilders.ts';
import { createWorld, type World } from '../support/world.ts';

const start = Date.UTC(2027, 0, 15, 8);

async function aWorld(...names: string[]): Promise<World> {
  const world = createWorld({ start });
  await ingest(
    world,
    aHeartbeat(start),
    ...names.flatMap((name) => [upserted(aClaim(name, name)), upserted(aPod(name))]),
  );
  for (const name of names)
    world.api.pods.set(`default/${name}`, { uid: `uid-${name}`, terminating: false, marked: false });
  return world;
}

const ingest = (world: World, ...body: readonly Change[]) => world.deliver({ stage: 'ingest', at: world.now(), body });

async function taint(world: World, annotations: Record<string, string> = {}): Promise<void> {
  await put(world, aRule('bad', start, { annotations }));
}

async function put(world: World, rule: DeviceTaintRule): Promise<void> {
  world.api.rules.set(rule.name, { rule, conditions: [] });
  await ingest(world, upserted(rule));
  await world.runUntil(world.now() + 5000);
}

async function why(world: World, subject: string): Promise<readonly string[]> {
  const state = { table: world.table, cluster: world.cluster };
  return renderWhy(subject, await readWhy(state, subject, world.now()));
}

const because =
  '  because of DeviceTaintRule bad: taint example.com/bad=yes:NoExecute on device gpu.example.com/node-1/a, added 2027-01-15T08:00:00Z';

describe('why', () => {
  it('a pod that no taint evicts is kept', async () => {
    const world = await aWorld('a');
    expect(await why(world, 'default/a')).toEqual(['default/a (uid-a): kept: no taint that Sluice knows of evicts it']);
  });

  it('an unknown pod has no row and no record', async () => {
    const world = await aWorld();
    for (const subject of ['default/unknown', 'uid-unknown'])
      expect(await why(world, subject)).toEqual([expect.stringMatching(`^${subject}: no pod and no record`)]);
  });

  it('an evicted pod is explained with rule, taint, device and token, by its name and by its UID', async () => {
    const world = await aWorld('a');
    await taint(world);
    await ingest(world, deleted({ ...aPod('a'), resourceVersion: nextVersion() }));
    const said = await why(world, 'default/a');
    expect(said[0]).toMatch(/^default\/a \(uid-a\): evicted, 2027-01-15T08:00:0\dZ$/);
    expect(said[1]).toBe(because);
    expect(said[2]).toBe('  due 2027-01-15T08:00:00Z');
    expect(said[3]).toMatch(/^ {2}token of 2027-01-15T\S+, for DeviceTaintRule bad, taint example.com\/\S+:NoExecute$/);
    expect(said.slice(4)).toEqual(['  at 10 a second, burst 10', '  the API server answered PATCH 200, DELETE 200']);
    expect(await why(world, 'uid-a')).toEqual(said);
  });

  it('the record of an eviction has the attributes of the device, the policy, its rate and who approved its plan', async () => {
    const world = await aWorld('a');
    const attributes = { firmware: { version: '1.2.3' } };
    await ingest(world, upserted(aSlice('s', { devices: [{ name: 'a', attributes }] })));
    const policy = { kind: 'EvictionPolicy', name: 'slow', uid: 'uid-slow', generation: 1, taints: {} } as const;
    await ingest(world, upserted({ ...policy, resourceVersion: nextVersion(), evictionsPerSecond: 2, burst: 1 }));
    await taint(world, approvalAnnotations({ digests: '0123456789ab', by: 'ada', at: start }));
    const said = await why(world, 'uid-a');
    expect(said.slice(4)).toEqual([
      '  at 2 a second, burst 1, EvictionPolicy slow',
      '  after approval of plan 0123456789ab by ada at 2027-01-15T08:00:00Z',
      '  device gpu.example.com/node-1/a had firmware=1.2.3',
      '  the API server answered PATCH 200, DELETE 200',
    ]);
  });

  it('why names the manager that last wrote the spec of a rule', async () => {
    const world = await aWorld('a', 'b');
    const author = { manager: 'argocd', operation: 'Apply', at: start - 1000 };
    await put(world, aRule('bad', start, { author, annotations: { 'sluice.dev/paused': 'true' } }));
    await put(world, aRule('second', start, { author: { manager: 'kubectl', operation: 'Update' } }));
    const said = await why(world, 'uid-a');
    expect(said).toContain('  bad was last written by argocd (Apply, 2027-01-15T07:59:59Z)');
    expect(said).toContain('  second was last written by kubectl (Update)');
  });

  it('the evictions of a rule or a device are listed up to a limit, and a hint says that there may be more', async () => {
    const world = await aWorld('a', 'b');
    const state = { table: world.table, cluster: world.cluster };
    await taint(world, { 'sluice.dev/burst': '1', 'sluice.dev/evictions-per-second': '1' });
    const pods = (lines: readonly string[]) => lines.filter((line) => line.startsWith('default/'));
    expect(pods(await explainRecords(state, { kind: 'Rule', rule: 'bad' }, 20))).toHaveLength(2);
    const one = await explainRecords(state, { kind: 'Rule', rule: 'bad' }, 1);
    expect(pods(one)).toHaveLength(1);
    expect(one.at(-1)).toBe('the 1 newest; --limit shows more');
    const device = { driver: 'gpu.example.com', pool: 'node-1', device: 'b' };
    expect(pods(await explainRecords(state, { kind: 'Device', device }, 20))).toEqual([
      expect.stringMatching(/^default\/b \(uid-b\): evicted/),
    ]);
    expect(await explainRecords(state, { kind: 'Rule', rule: 'none' }, 20)).toEqual([]);
  });

  it('why shows a failed attempt, and then the attempt that evicted the pod', async () => {
    const world = await aWorld('a');
    world.api.failures.push({ kind: 'RetryLater', after: 1, why: 'PATCH: 503 not well', status: 503 });
    await taint(world);
    expect(await why(world, 'uid-a')).toContain('  PATCH: 503 not well');
    await ingest(world, aHeartbeat(world.now()));
    await world.runUntil(world.now() + 70_000);
    expect(await why(world, 'uid-a')).toContain('  the API server answered PATCH 200, DELETE 200, attempt 2');
  });

  it.each([
    [1, 'once'],
    [2, '2 times'],
  ])('a pod that disruption budgets kept %i times waits for them and not for a token', (times, said) => {
    const listings = [{ limiter: 'rule|uid-bad', dueAt: start }];
    const blocked = { until: start, times };
    const ledger: Ledger = { podUid: 'uid-a', order: '', state: 'Pending', because: [], listings, blocked };
    const lines = renderWhy('default/a', { records: [], held: [], present: { uid: 'uid-a', ledger, ways: [] } });
    expect(lines[0]).toBe('default/a (uid-a): waits until its disruption budgets allow it');
    expect(lines.at(-1)).toBe(`  kept ${said} by disruption budgets, tried again from 2027-01-15T08:00:00Z`);
  });

  it('a pod of a paused rule is pending, and why names the pauses', async () => {
    const world = await aWorld('a');
    await setPause({ table: world.table, cluster: undefined }, { name: 'incident', why: 'looking', since: start });
    await taint(world, { 'sluice.dev/paused': 'true' });
    expect(await why(world, 'default/a')).toEqual([
      'default/a (uid-a): waits for a token',
      because,
      '  listed for DeviceTaintRule bad, taint example.com/bad:NoExecute, due 2027-01-15T08:00:00Z',
      '  held: Paused by incident (looking), in every cluster.',
      '  held: DeviceTaintRule bad: Paused by sluice.dev/paused.',
    ]);
  });

  it('why names the canary or the pause of the policy that holds a pod', async () => {
    const world = await aWorld('a', 'b');
    const canary = { pods: 1, hold: 3_600_000 };
    await ingest(world, upserted(evictionPolicy({ canary, resourceVersion: nextVersion() })));
    await taint(world);
    const said = [...(await why(world, 'default/a')), ...(await why(world, 'default/b'))];
    expect(said.filter((line) => line.startsWith('  held: '))).toEqual([
      expect.stringMatching(
        /^ {2}held: Canary of EvictionPolicy policy: 1 pod evicted, the last at .*; 1 more wait until /,
      ),
    ]);
    const picture = await readClusterProgress({ table: world.table, cluster: world.cluster }, world.now());
    expect(picture.limiters[0]?.heldBecause).toMatch(/^Canary of EvictionPolicy policy: 1 pod evicted, the last at /);
    await ingest(world, upserted(evictionPolicy({ paused: true, resourceVersion: nextVersion() })));
    const paused = [...(await why(world, 'default/a')), ...(await why(world, 'default/b'))];
    expect(paused).toContain('  held: Paused by EvictionPolicy policy.');
  });

  it('why names the evictions in flight that a pod of the same node waits for', async () => {
    const world = await aWorld('a', 'b');
    await ingest(
      world,
      upserted(evictionPolicy({ limits: { maxPerNode: { count: 1 }, maxPerWorkload: { count: 1 } } })),
    );
    await taint(world);
    const said = [...(await why(world, 'default/a')), ...(await why(world, 'default/b'))];
    expect(said.filter((line) => line.startsWith('  held: '))).toEqual([
      expect.stringMatching(
        /^ {2}held: EvictionPolicy policy allows 1 of node node-1 to be evicted at once, and these are not finished: default\/[ab]\.$/,
      ),
    ]);
  });
});
