// Rates, case by case: pods under one taint and under several, explicit and default rates, tolerations, changes while pods are pending.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DeviceTaintRule } from '../../lib/model/objects.ts';
import { aRule, nextVersion, upserted } from '../support/objects.ts';
import { evictionPolicy } from '../support/pacedBuilders.ts';
import { keepsPace, limiterOf, pacedOver, setsOf, start } from '../support/sets.ts';

const within = (n: number, low: number, high: number) => {
  expect(n).toBeGreaterThanOrEqual(low);
  expect(n).toBeLessThanOrEqual(high);
};

describe('pods under one taint', () => {
  it('a taint evicts at its rate after its burst, and at no less than 95 % of it', async () => {
    const { write, run, gone } = await setsOf({ a: { pods: 60 } });
    await write(pacedOver('a', { slow: { perSecond: 2, burst: 3 } }));
    await run(20);
    within(gone('a', 20).length, 0.95 * (3 + 2 * 20), 3 + 2 * 20);
    expect(keepsPace(gone('a'), { perSecond: 2, burst: 3 })).toBe(true);
  });

  it('a rate of 0.0167 a second evicts one pod a minute', async () => {
    const { write, run, gone } = await setsOf({ a: { pods: 5 } });
    await write(pacedOver('a', { crawl: { perSecond: 0.0167, burst: 1 } }));
    await run(185);
    within(gone('a').length, 3, 4);
  });
});

describe('pods under several taints with different rates', () => {
  it('pods under two taints take the earliest token of either, and each delete is charged to one of them', async () => {
    const { write, run, gone, charged } = await setsOf({ a: { pods: 60 } });
    const rule = pacedOver('a', { fast: { perSecond: 4, burst: 1 }, slow: { perSecond: 1, burst: 1 } });
    await write(rule);
    await run(28);
    within(gone('a', 8).length, 0.95 * 4 * 8, 2 + 5 * 8);
    expect(gone('a')).toHaveLength(60);
    const [fast, slow] = [charged(limiterOf('a', 'fast')), charged(limiterOf('a', 'slow'))];
    expect(fast + slow).toBe(60);
    expect(fast).toBeGreaterThan(2.5 * slow);
    expect(slow).toBeGreaterThan(0);
  });

  it('pods under two rules are evicted at both rates together', async () => {
    const { write, run, gone, charged } = await setsOf({ a: { pods: 40 } });
    const rule = (name: string, rate: string): DeviceTaintRule =>
      aRule(name, start, {
        deviceSelector: { pool: 'a' },
        annotations: { 'sluice.dev/evictions-per-second': rate, 'sluice.dev/burst': '1' },
      });
    await write(rule('two', '2'));
    await write(rule('one', '1'));
    await run(20);
    expect(gone('a')).toHaveLength(40);
    expect(charged('rule|uid-two') + charged('rule|uid-one')).toBe(40);
    expect(charged('rule|uid-two')).toBeGreaterThan(charged('rule|uid-one'));
  });
});

describe('sets of pods with different rates', () => {
  it('each set of pods is evicted at its own rate, whatever the other does', async () => {
    const { write, run, gone } = await setsOf({ a: { pods: 40 }, b: { pods: 40 } });
    await write(pacedOver('a', { slow: { perSecond: 1, burst: 1 } }));
    await write(pacedOver('b', { fast: { perSecond: 4, burst: 2 } }));
    await run(8);
    within(gone('a', 8).length, 8, 9);
    within(gone('b', 8).length, 0.95 * 34, 34);
  });
});

describe('default and explicit rates', () => {
  it('the default rate is ten a second after a burst of ten, whatever another rule sets', async () => {
    const { write, run, gone } = await setsOf({ a: { pods: 60 }, b: { pods: 60 } });
    await write(pacedOver('a', { plain: {} }));
    await write(pacedOver('b', { slow: { perSecond: 2, burst: 1 } }));
    await run(4);
    within(gone('a', 4).length, 0.95 * 50, 10 + 40);
    within(gone('b', 4).length, 8, 9);
  });

  it('a rate without a burst has the default burst, and a burst without a rate the default rate', async () => {
    const { write, run, gone } = await setsOf({ a: { pods: 60 }, b: { pods: 60 } });
    await write(pacedOver('a', { slow: { perSecond: 1 } }));
    await write(pacedOver('b', { plain: { burst: 1 } }));
    await run(4);
    within(gone('a', 4).length, 13, 14);
    within(gone('b', 4).length, 0.95 * 40, 41);
  });

  it('a taint without a rate evicts at the default rate beside a slower one', async () => {
    const { write, run, gone } = await setsOf({ a: { pods: 40 } });
    await write(pacedOver('a', { plain: {}, slow: { perSecond: 0.1, burst: 1 } }));
    await run(4);
    expect(gone('a')).toHaveLength(40);
  });
});

describe('pods with tolerations', () => {
  const tolerates = (key: string, tolerationSeconds?: number) => ({
    key,
    operator: 'Exists',
    effect: 'NoExecute',
    ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }),
  });
  const both = { fast: { perSecond: 10, burst: 10 }, slow: { perSecond: 1, burst: 1 } };

  it('pods that tolerate the fast taint are evicted at the rate of the slow one', async () => {
    const { write, run, gone, charged } = await setsOf({ a: { pods: 20, tolerations: [tolerates('fast')] } });
    await write(pacedOver('a', both));
    await run(10);
    within(gone('a').length, 10, 11);
    expect(charged(limiterOf('a', 'fast'))).toBe(0);
  });

  it('pods that tolerate the slow taint are evicted at the rate of the fast one', async () => {
    const { write, run, gone, charged } = await setsOf({ a: { pods: 20, tolerations: [tolerates('slow')] } });
    await write(pacedOver('a', both));
    await run(3);
    expect(gone('a')).toHaveLength(20);
    expect(charged(limiterOf('a', 'slow'))).toBe(0);
  });

  it('pods that tolerate the fast taint for a while are evicted at the slow rate until then, and at both afterwards', async () => {
    const { write, run, gone } = await setsOf({ a: { pods: 60, tolerations: [tolerates('fast', 20)] } });
    await write(pacedOver('a', both));
    await run(19);
    within(gone('a').length, 18, 20);
    await run(8);
    expect(gone('a')).toHaveLength(60);
  });

  it('pods that tolerate both taints are kept, whatever the rates', async () => {
    const { write, run, gone } = await setsOf({ a: { pods: 5, tolerations: [tolerates('fast'), tolerates('slow')] } });
    await write(pacedOver('a', both));
    await run(30);
    expect(gone('a')).toEqual([]);
  });

  it('sets of pods with different tolerations under one rule share its buckets', async () => {
    const { write, run, gone } = await setsOf({
      'x-a': { pods: 20, tolerations: [tolerates('fast')] },
      'x-b': { pods: 20, tolerations: [tolerates('slow')] },
    });
    const rule = pacedOver('x', both);
    await write({ ...rule, deviceSelector: { driver: 'gpu.example.com' } });
    await run(3);
    expect(gone('x-b')).toHaveLength(20);
    within(gone('x-a').length, 3, 4);
  });
});

describe('a taint that evicts no pod', () => {
  const annotated = (annotations: Record<string, string>) =>
    aRule('still', start, { deviceSelector: { pool: 'a' }, annotations });
  const policed = aRule('still', start, {
    deviceSelector: { pool: 'a' },
    taint: { key: 'example.com/still', effect: 'NoExecute', timeAdded: start },
  });
  const forStill = { keys: ['example.com/still'] };

  it.each([
    ['at a rate of 0', annotated({ 'sluice.dev/evictions-per-second': '0' }), undefined],
    ['at a burst of 0', annotated({ 'sluice.dev/burst': '0' }), undefined],
    ['at a rate that cannot be read', annotated({ 'sluice.dev/evictions-per-second': '1e9' }), undefined],
    [
      'at one pod in an hour',
      annotated({ 'sluice.dev/evictions-per-second': '0.0003', 'sluice.dev/burst': '1' }),
      undefined,
    ],
    ['paused', annotated({ 'sluice.dev/paused': 'true' }), undefined],
    ['expired', annotated({ 'sluice.dev/expires-at': '2020-01-01T00:00:00Z' }), undefined],
    ['under a policy that is paused', policed, evictionPolicy({ taints: forStill, paused: true })],
    ['under a policy that waits for an approval', policed, evictionPolicy({ taints: forStill, approval: 'Required' })],
    ['over the limits of its policy', policed, evictionPolicy({ taints: forStill, limits: { maxPods: 1 } })],
    [
      'outside the windows of its policy',
      policed,
      evictionPolicy({ taints: forStill, windows: [{ schedule: '0 0 30 2 *', duration: 1000 }] }),
    ],
  ])('a taint that evicts no pod never delays a pod that another taint may evict: %s', async (_, still, policy) => {
    const { write, ingest, run, gone, charged } = await setsOf({ a: { pods: 15 } });
    if (policy) await ingest(upserted({ ...policy, resourceVersion: nextVersion() }));
    await write(still);
    await run(5);
    const before = gone('a').length;
    expect(before).toBeLessThanOrEqual(1);
    await write(pacedOver('a', { moves: {} }));
    await run(4);
    expect(gone('a')).toHaveLength(15);
    expect(charged(limiterOf('a', 'moves'))).toBe(15 - before);
  });
});

describe('a rate that changes while pods are pending', () => {
  const rule = (rate: string, burst = '1') =>
    aRule('r', start, {
      deviceSelector: { pool: 'a' },
      annotations: { 'sluice.dev/evictions-per-second': rate, 'sluice.dev/burst': burst },
    });
  const since = (at: readonly number[], seconds: number) => at.filter((one) => one > seconds * 1000);

  it('a rate lowered from 10 to 1 applies within a second', async () => {
    const { write, run, gone } = await setsOf({ a: { pods: 200 } });
    await write(rule('10'));
    await run(5);
    await write(rule('1'));
    await run(20);
    const later = since(gone('a'), 6);
    within(later.length, 17, 20);
    expect(keepsPace(later, { perSecond: 1, burst: 1 })).toBe(true);
  });

  it('a rate raised from one a minute to 10 applies at once', async () => {
    const { write, run, gone } = await setsOf({ a: { pods: 60 } });
    await write(rule('0.0167'));
    await run(5);
    await write(rule('10'));
    await run(9);
    expect(gone('a')).toHaveLength(60);
    expect(keepsPace(since(gone('a'), 5), { perSecond: 10, burst: 1 })).toBe(true);
  });

  it('a cap of a policy lowers the rate, and its removal restores the rate', async () => {
    const { world, write, ingest, run, gone } = await setsOf({ a: { pods: 200 } });
    await write(rule('10'));
    await run(5);
    const policy = { ...evictionPolicy({ maxEvictionsPerSecond: 1 }), resourceVersion: nextVersion() };
    await ingest(upserted(policy));
    await run(20);
    within(since(gone('a'), 6).length, 17, 21);
    const before = gone('a').length;
    await ingest(upserted({ ...evictionPolicy({ generation: 2 }), resourceVersion: nextVersion() }));
    const from = (world.now() - start) / 1000;
    await run(10);
    within(gone('a').length - before, 80, 102);
    expect(keepsPace(since(gone('a'), from), { perSecond: 10, burst: 1 })).toBe(true);
  });

  it('an edit of the spec changes the rate of a taint within a second', async () => {
    const { write, run, gone } = await setsOf({ a: { pods: 200 } });
    const paced = pacedOver('a', { k: { perSecond: 10, burst: 1 } });
    await write(paced);
    await run(5);
    await write({ ...pacedOver('a', { k: { perSecond: 1, burst: 1 } }), generation: 2 });
    await run(20);
    within(since(gone('a'), 6).length, 17, 20);
  });

  it('repeated rate changes evict each pod once, never above the rate in force, and all in time', async () => {
    const changes = fc.array(
      fc.record({ rate: fc.constantFrom(0.5, 1, 4, 10), seconds: fc.integer({ min: 2, max: 12 }) }),
      {
        minLength: 1,
        maxLength: 5,
      },
    );
    await fc.assert(
      fc.asyncProperty(changes, async (played) => {
        const { world, write, run, gone } = await setsOf({ a: { pods: 80 } });
        let most = 1;
        let least = 0;
        for (const { rate, seconds } of played) {
          await write(rule(String(rate)));
          await run(seconds);
          most += rate * seconds + rate + 1;
          least += 0.95 * rate * Math.max(0, seconds - 2) - 1;
          expect(gone('a').length).toBeLessThanOrEqual(most);
        }
        expect(gone('a').length).toBeGreaterThanOrEqual(Math.min(80, least));
        const from = (world.now() - start) / 1000;
        await write(rule('10'));
        await run(11);
        expect(gone('a')).toHaveLength(80);
        expect(new Set(world.api.deletes.map(({ pod }) => pod.uid)).size).toBe(80);
        expect(keepsPace(since(gone('a'), from), { perSecond: 10, burst: 1 })).toBe(true);
      }),
      { numRuns: 12 },
    );
  });
});
