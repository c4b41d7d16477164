// Rules that are paused, expired or not approved: no pod is evicted meanwhile, none is cancelled, and no burst follows.
import { describe, expect, it } from 'vitest';
import type { Change } from '../../lib/model/change.ts';
import type { DeviceTaintRule } from '../../lib/model/objects.ts';
import type { Settings } from '../../lib/model/snapshot.ts';
import { removePause, setPause } from '../../lib/state/pauseRows.ts';
import { aClaim, aHeartbeat, aPod, aRule, nextVersion, upserted } from '../support/objects.ts';
import { createWorld, type World } from '../support/world.ts';

const start = 1_800_000_000_000;

async function fleet(
  count: number,
  settings: Partial<Settings> = {},
): Promise<{ world: World; rule: DeviceTaintRule }> {
  const world = createWorld({ start, settings });
  const names = Array.from({ length: count }, (_, i) => `pod-${i}`);
  for (const name of names)
    world.api.pods.set(`default/${name}`, { uid: `uid-${name}`, terminating: false, marked: false });
  const changes = names.flatMap((name) => [upserted(aClaim(name, name)), upserted(aPod(name))]);
  await ingest(world, aHeartbeat(start));
  for (let i = 0; i < changes.length; i += 10) await ingest(world, ...changes.slice(i, i + 10));
  return { world, rule: aRule('bad', start) };
}

const ingest = (world: World, ...body: readonly Change[]) => world.deliver({ stage: 'ingest', at: world.now(), body });

async function write(world: World, rule: DeviceTaintRule, annotations: Record<string, string>): Promise<void> {
  const next = { ...rule, annotations, resourceVersion: nextVersion() };
  const conditions = world.api.rules.get(rule.name)?.conditions ?? [];
  world.api.rules.set(rule.name, { rule: next, conditions });
  await ingest(world, upserted(next));
}

async function run(world: World, seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 10) {
    await world.runUntil(world.now() + Math.min(10, seconds - passed) * 1000);
    await ingest(world, aHeartbeat(world.now()));
  }
}

const held = (world: World) => world.api.rules.get('bad')?.conditions.find(({ type }) => type === 'sluice.dev/Held');

describe('a rule with a rate of 0', () => {
  it.each([
    [{ 'sluice.dev/evictions-per-second': '0' }, 'Its rate is 0 (sluice.dev/evictions-per-second).'],
    [{ 'sluice.dev/burst': '0' }, 'Its burst is 0 (sluice.dev/burst).'],
    [
      { 'sluice.dev/evictions-per-second': 'fast' },
      'sluice.dev/evictions-per-second is "fast", which is no number from 0 to 10000 with at most four decimals: no pod is evicted until it is fixed or removed.',
    ],
  ])('a rule with annotations %o is held and says why, until they are removed', async (annotations, message) => {
    const { world, rule } = await fleet(3);
    await write(world, rule, annotations);
    await run(world, 30);
    expect(world.api.deletes).toHaveLength(0);
    expect(held(world)).toMatchObject({ status: 'True', reason: 'StandsStill', message });
    await write(world, rule, {});
    await run(world, 30);
    expect(world.api.deletes).toHaveLength(3);
    expect(held(world)).toMatchObject({ status: 'False', reason: 'NotHeld' });
  });
});

describe('a paused rule', () => {
  it('a paused rule evicts no pod, says why, and continues at its rate when the last pause is removed', async () => {
    const { world, rule } = await fleet(60);
    await write(world, rule, { 'pause.sluice.dev/audit': 'first', 'sluice.dev/paused': 'true' });
    await run(world, 120);
    expect(world.api.deletes).toHaveLength(0);
    expect(held(world)).toMatchObject({
      status: 'True',
      reason: 'Paused',
      message: 'Paused by sluice.dev/paused; audit (first).',
    });
    await write(world, rule, { 'pause.sluice.dev/audit': 'first' });
    await run(world, 30);
    expect(world.api.deletes).toHaveLength(0);
    const resumedAt = world.now();
    await write(world, rule, {});
    await run(world, 20);
    const times = world.api.deletes.map((one) => one.at - resumedAt).sort((a, b) => a - b);
    expect(times).toHaveLength(60);
    // The burst and then ten a second: the two minutes without evictions grant no extra tokens.
    for (const [i, time] of times.entries()) expect(i + 1).toBeLessThanOrEqual(10 + (10 * (time + 1000)) / 1000);
    expect(times.at(-1)).toBeLessThan(7000);
    expect(held(world)).toMatchObject({ status: 'False', reason: 'NotHeld' });
    expect([...world.api.recorded.values()].filter(({ message }) => message.startsWith('Cancelling'))).toEqual([]);
  });

  it('a pause in the middle of an eviction stops the deletes within a second', async () => {
    const { world, rule } = await fleet(100);
    await write(world, rule, {});
    await run(world, 3);
    const before = world.api.deletes.length;
    expect(before).toBeGreaterThan(10);
    const pausedAt = world.now();
    await write(world, rule, { 'sluice.dev/paused': 'true' });
    await run(world, 60);
    expect(world.api.deletes.every(({ at }) => at <= pausedAt + 1000)).toBe(true);
    expect(world.api.deletes.length).toBeLessThan(100);
  });

  it('a rule that evicts 100 pods a second keeps its rate, and stops within a second of its deletion', async () => {
    const { world, rule } = await fleet(1000);
    const hundred = { 'sluice.dev/evictions-per-second': '100', 'sluice.dev/burst': '1' };
    await write(world, rule, hundred);
    await run(world, 5);
    const before = world.api.deletes.length;
    expect(before).toBeGreaterThan(300);
    expect(before).toBeLessThanOrEqual(600);
    const stoppedAt = world.now();
    world.api.rules.delete('bad');
    await run(world, 60);
    expect(world.api.deletes.every(({ at }) => at <= stoppedAt + 1000)).toBe(true);
  });

  it('a pause that only the API server knows yet stops the rule within a second', async () => {
    const { world, rule } = await fleet(100);
    await write(world, rule, {});
    await run(world, 3);
    const pausedAt = world.now();
    const found = world.api.rules.get('bad');
    if (found) found.rule = { ...rule, annotations: { 'sluice.dev/paused': 'true' } };
    await run(world, 60);
    expect(world.api.deletes.every(({ at }) => at <= pausedAt + 1000)).toBe(true);
  });

  it('a paused rule does not keep a pod that another rule evicts', async () => {
    const { world, rule } = await fleet(5);
    await write(world, rule, { 'sluice.dev/paused': 'true' });
    await run(world, 10);
    const other = aRule('other', world.now());
    await write(world, other, {});
    await run(world, 20);
    expect(world.api.deletes).toHaveLength(5);
  });
});

describe('a paused cluster', () => {
  it.each([
    ['by a pause of its own', 'own'],
    ['by a pause of everything', undefined],
  ])(
    'a cluster stopped %s evicts no pod after a second, and continues at its rate when the last pause is removed',
    async (_, of) => {
      const { world, rule } = await fleet(100);
      const scope = { table: world.table, cluster: of === undefined ? undefined : world.cluster };
      await write(world, rule, {});
      await run(world, 3);
      const before = world.api.deletes.length;
      const pausedAt = world.now();
      await setPause(scope, { name: 'incident', why: 'what is this', since: pausedAt });
      await setPause(scope, { name: 'second', why: '', since: pausedAt });
      await run(world, 90);
      expect(world.api.deletes.every(({ at }) => at <= pausedAt + 1000)).toBe(true);
      await removePause(scope, 'incident');
      await run(world, 90);
      expect(world.api.deletes.length - before).toBeLessThanOrEqual(12);
      const resumedAt = world.now();
      await removePause(scope, 'second');
      await run(world, 90);
      const times = world.api.deletes.map((one) => one.at - resumedAt).filter((time) => time > 0);
      expect(world.api.deletes).toHaveLength(100);
      for (const [i, time] of times.entries()) expect(i + 1).toBeLessThanOrEqual(10 + (10 * (time + 1000)) / 1000);
    },
  );

  it('a pause of another cluster has no effect, nor does the removal of a missing pause', async () => {
    const { world, rule } = await fleet(3);
    await setPause({ table: world.table, cluster: 'another' }, { name: 'x', why: '', since: 0 });
    await removePause({ table: world.table, cluster: world.cluster }, 'never');
    await write(world, rule, {});
    await run(world, 10);
    expect(world.api.deletes).toHaveLength(3);
  });
});

describe('a rule that expires', () => {
  it('a rule gets one warning Event in the ten minutes before it expires, then evicts no pod and says so', async () => {
    const { world, rule } = await fleet(3);
    const expiresAt = new Date(start + 15 * 60_000).toISOString();
    await write(world, rule, { 'sluice.dev/expires-at': expiresAt, 'sluice.dev/paused': 'true' });
    await run(world, 240);
    const warnings = () => [...world.api.recorded.values()].filter(({ reason }) => reason === 'DeviceTaintRuleExpires');
    expect(warnings()).toEqual([]);
    await run(world, 300);
    expect(warnings()).toHaveLength(1);
    expect(warnings()[0]).toMatchObject({ type: 'Warning', regarding: { kind: 'DeviceTaintRule', name: 'bad' } });
    await run(world, 480);
    await write(world, rule, { 'sluice.dev/expires-at': expiresAt });
    await run(world, 60);
    expect(world.api.deletes).toHaveLength(0);
    expect(held(world)).toMatchObject({ status: 'True', reason: 'Expired' });
    expect(warnings()).toHaveLength(1);
  });
});

describe('a rule with an empty selector', () => {
  const everything = (rule: DeviceTaintRule): DeviceTaintRule => ({ ...rule, deviceSelector: {} });
  const digestIn = (text: string | undefined) => /sluice\.dev\/approve=([0-9a-f]{12})$/.exec(text ?? '')?.[1] ?? 'none';

  it('a rule with an empty selector evicts at once if the setting says so, as upstream does', async () => {
    const { world, rule } = await fleet(5);
    await write(world, everything(rule), {});
    await run(world, 10);
    expect(world.api.deletes).toHaveLength(5);
    expect(held(world)).toBeUndefined();
  });

  it('a rule with an empty selector is held, shows its plan, and evicts once exactly that plan is approved', async () => {
    const { world, rule } = await fleet(20, { holdEmptySelector: true });
    await write(world, everything(rule), {});
    await run(world, 120);
    expect(world.api.deletes).toHaveLength(0);
    expect(held(world)).toMatchObject({ status: 'True', reason: 'AwaitingApproval' });
    expect(held(world)?.message).toMatch(/reaches every device: 20 pods in 1 namespaces would be evicted/);
    await write(world, everything(rule), { 'sluice.dev/approve': '0123456789ab' });
    await run(world, 60);
    expect(world.api.deletes).toHaveLength(0);
    await write(world, everything(rule), { 'sluice.dev/approve': digestIn(held(world)?.message) });
    await run(world, 30);
    expect(world.api.deletes).toHaveLength(20);
    expect(held(world)).toMatchObject({ status: 'False' });
  });

  it.each([
    ['two more pods than the twenty of the plan are evicted as well', 2, 22],
    ['three more pods need another approval', 3, 0],
  ])('a rule with an empty selector evicts only after an approval: %s', async (_, more, deleted) => {
    const { world, rule } = await fleet(20, { holdEmptySelector: true });
    await write(world, everything(rule), {});
    await run(world, 30);
    const digest = digestIn(held(world)?.message);
    for (let i = 0; i < more; i++) {
      const name = `more-${i}`;
      world.api.pods.set(`default/${name}`, { uid: `uid-${name}`, terminating: false, marked: false });
      await ingest(world, upserted(aClaim(name, name)), upserted(aPod(name)));
    }
    await write(world, everything(rule), { 'sluice.dev/approve': digest });
    await run(world, 60);
    expect(world.api.deletes).toHaveLength(deleted);
    if (deleted > 0) return;
    expect(held(world)).toMatchObject({ status: 'True', reason: 'PlanGrew' });
    expect(held(world)?.message).toMatch(/Approved were 20 pods, 23 match now/);
    expect(digestIn(held(world)?.message)).not.toBe(digest);
  });

  it('a held rule with an empty selector does not keep a pod that another rule evicts', async () => {
    const { world, rule } = await fleet(5, { holdEmptySelector: true });
    await write(world, everything(rule), {});
    await run(world, 10);
    await write(world, aRule('named', world.now()), {});
    await run(world, 20);
    expect(world.api.deletes).toHaveLength(5);
  });
});
