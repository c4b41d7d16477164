// What a rule reports while its pods are pending: the rate, and that they are pending, whatever holds them.
import { describe, expect, it } from 'vitest';
import { setPause } from '../../lib/state/pauseRows.ts';
import { aClass, aPacedRule, aRule, upserted } from '../support/objects.ts';
import { evictionPolicy } from '../support/pacedBuilders.ts';
import { pacedWorld, start } from '../support/pacedWorld.ts';

const pods = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, {}]));
const pacing = 'sluice.dev/Pacing';
const progress = 'EvictionInProgress';
const slow = { taints: [{ key: 'example.com/bad', effect: 'NoExecute', evictionsPerSecond: 1, burst: 1 }] };

describe('the condition sluice.dev/Pacing', () => {
  it('the condition Pacing shows rate, burst, next pod and estimated end, and is removed with the last pod', async () => {
    const { write, run, condition, gone } = await pacedWorld(pods(40));
    await write(aPacedRule('r', slow));
    await run(13);
    const said = condition('r', pacing);
    expect(said).toMatchObject({ status: 'True', reason: 'Paced' });
    const [, next = '', left = '', last = ''] =
      /^1 pods a second, burst 1 \(by evictionsPerSecond of its taint\): next pod at (\S+), the last of (\d+) pods is evicted at about (\S+)\.$/.exec(
        said?.message ?? '',
      ) ?? [];
    expect(Number(left)).toBeGreaterThan(20);
    expect(Date.parse(last) - Date.parse(next)).toBeGreaterThanOrEqual((Number(left) - 2) * 1000);
    expect(Date.parse(last)).toBeLessThanOrEqual(start + 42_000);
    await run(60);
    expect(gone()).toHaveLength(40);
    expect(condition('r', pacing)).toBeUndefined();
  });

  it('the condition Pacing is written at most every ten seconds while the rule does not change', async () => {
    const { world, write, run } = await pacedWorld(pods(40));
    await write(aPacedRule('r', slow));
    const times = new Set<number>();
    for (let i = 0; i < 45; i++) {
      await run(1);
      const found = world.api.rules.get('PacedTaintRule/r')?.conditions.find(({ type }) => type === pacing);
      if (found) times.add(found.lastTransitionTime);
    }
    const sorted = [...times].sort((a, b) => a - b);
    expect(sorted.length).toBeGreaterThan(2);
    for (const [i, at] of sorted.slice(1).entries()) expect(at - (sorted[i] ?? 0)).toBeGreaterThanOrEqual(10_000);
  });

  it('the condition Pacing is not written on a rule without pending pods', async () => {
    const { write, run, condition } = await pacedWorld({});
    await write(aPacedRule('r', slow));
    await run(30);
    expect(condition('r', pacing)).toBeUndefined();
  });

  it.each([
    ['1e9', 'rate'],
    ['1e-9', 'rate'],
    ['1000000000', 'rate'],
    ['0.000000001', 'rate'],
    ['fast', 'rate'],
  ])('a rate of %s is reported as unreadable, and no pod is evicted', async (text) => {
    const { world, ingest, run, gone } = await pacedWorld(pods(3));
    const rule = aRule('n', start, { annotations: { 'sluice.dev/evictions-per-second': text } });
    world.api.rules.set('n', { rule, conditions: [] });
    await ingest(upserted(rule));
    await run(30);
    expect(gone()).toEqual([]);
    expect(world.api.rules.get('n')?.conditions.find(({ type }) => type === pacing)).toMatchObject({
      status: 'False',
      reason: 'RateUnreadable',
      message: `sluice.dev/evictions-per-second is "${text}", which is no number from 0 to 10000 with at most four decimals: no pod is evicted until it is fixed or removed.`,
    });
  });

  it('a rule with everything has at most four conditions of Sluice, one of them Pacing', async () => {
    const { world, ask, write, ingest, run, live } = await pacedWorld(
      { p0: { attributes: { healthy: { bool: false } } }, p1: {} },
      { holdEmptySelector: true },
    );
    await ingest(upserted(aClass('gpus', ['true'])));
    await ask(evictionPolicy({ limits: { maxPods: 1 } }));
    const selector = { deviceSelector: { deviceClassName: 'gpus', selectors: ['true'] } };
    await write(aPacedRule('r', { ...slow, ...selector }));
    await run(40);
    await write({ ...(live('r') ?? aPacedRule('r')), generation: 2, paused: true });
    await run(40);
    const types = (world.api.rules.get('PacedTaintRule/r')?.conditions ?? []).map(({ type }) => type);
    const ours = types.filter((type) => type.startsWith('sluice.dev/')).sort();
    expect(ours).toContain(pacing);
    expect(ours).toContain('sluice.dev/Held');
    expect(new Set(ours).size).toBe(ours.length);
    expect(ours.length).toBeLessThanOrEqual(4);
  });
});

describe('the condition EvictionInProgress of a held rule', () => {
  const text = '3 pods need to be evicted in 1 namespace.';
  it.each([
    ['a rule that is paused', {}, { paused: true as const }, 'Paused'],
    ['a rule whose policy is paused', { paused: true as const }, {}, 'Paused'],
    ['a rule outside its window', { windows: [{ schedule: '0 22 * * *', duration: 3_600_000 }] }, {}, 'OutsideWindow'],
    ['a rule whose windows never open', { windows: [{ schedule: '0 0 30 2 *', duration: 1000 }] }, {}, 'OutsideWindow'],
    ['a rule over its limits', { limits: { maxPods: 1 } }, {}, 'OverLimits'],
    ['a rule that waits for an approval', { approval: 'Required' as const }, {}, 'AwaitingApproval'],
    ['a rule that has expired', {}, { expiresAt: '2020-01-01T00:00:00Z' }, 'Expired'],
  ])(
    'EvictionInProgress stays True with upstream’s text while pods are pending: %s',
    async (_, policy, rule, reason) => {
      const { ask, write, run, gone, condition } = await pacedWorld(pods(3));
      await ask(evictionPolicy(policy));
      await write(aPacedRule('r', rule));
      await run(40);
      expect(gone()).toEqual([]);
      expect(condition('r', progress)).toMatchObject({ status: 'True', reason: 'PodsPendingEviction', message: text });
      expect(condition('r', 'sluice.dev/Held')).toMatchObject({ status: 'True', reason });
      expect(condition('r', pacing)).toMatchObject({
        status: 'False',
        reason: 'Held',
        message: `Held: ${reason}.`,
      });
    },
  );

  it('EvictionInProgress stays True with upstream’s text while the cluster is paused', async () => {
    const { world, write, run, gone, condition } = await pacedWorld(pods(3));
    await setPause({ table: world.table, cluster: world.cluster }, { name: 'x', why: '', since: start });
    await write(aPacedRule('r'));
    await run(40);
    expect(gone()).toEqual([]);
    expect(condition('r', progress)).toMatchObject({ status: 'True', message: text });
    expect(condition('r', pacing)).toMatchObject({ status: 'False', reason: 'Held', message: 'Held: Paused.' });
  });

  it('EvictionInProgress stays True with upstream’s text at a rate of 0', async () => {
    const { write, run, gone, condition } = await pacedWorld(pods(3));
    await write(aPacedRule('r', { taints: [{ key: 'example.com/bad', effect: 'NoExecute', evictionsPerSecond: 0 }] }));
    await run(40);
    expect(gone()).toEqual([]);
    expect(condition('r', progress)).toMatchObject({ status: 'True', message: text });
    expect(condition('r', pacing)).toMatchObject({ status: 'False', reason: 'StandsStill' });
  });
});

describe('a rule that is held after its first evictions', () => {
  const waits = (message = '') => [...message.matchAll(/\d{4}-\d\d-\d\dT[\d:]+Z/g)].map(([time]) => Date.parse(time));

  it.each([
    ['it is paused', async ({ write, live }: PacedWorld) => write({ ...rule(live), generation: 2, paused: true })],
    ['its policy is paused', async ({ ask }: PacedWorld) => ask(evictionPolicy({ paused: true }))],
    [
      'its cluster is paused',
      async ({ world }: PacedWorld) =>
        setPause({ table: world.table, cluster: world.cluster }, { name: 'x', why: '', since: world.now() }),
    ],
    [
      'its policy requires approval',
      async ({ ask }: PacedWorld) => ask(evictionPolicy({ approval: 'Required' as const })),
    ],
  ])('a rule that is held because %s shows no time in the past', async (_, stop) => {
    const paced = await pacedWorld(pods(5));
    const { world, ask, write, run, condition } = paced;
    await ask(evictionPolicy({}));
    await write(aPacedRule('r', slower));
    await run(40);
    expect(waits(condition('r', pacing)?.message)).not.toEqual([]);
    await stop(paced);
    await run(120);
    expect(condition('r', pacing)).toMatchObject({ status: 'False' });
    for (const at of waits(condition('r', pacing)?.message)) expect(at).toBeGreaterThanOrEqual(world.now());
  });
});

type PacedWorld = Awaited<ReturnType<typeof pacedWorld>>;
const rule = (live: PacedWorld['live']) => live('r') ?? aPacedRule('r', slower);
const slower = { taints: [{ key: 'example.com/bad', effect: 'NoExecute', evictionsPerSecond: 0.02, burst: 1 }] };
