// A change of a policy requests reports only of the rules that it selects or selected, a bounded number per invocation.
import { describe, expect, it } from 'vitest';
import type { EvictionPolicy } from '../../../lib/model/policy.ts';
import { aRule, deleted, nextVersion, upserted } from '../../support/objects.ts';
import { evictionPolicy } from '../../support/pacedBuilders.ts';
import { createWorld } from '../../support/world.ts';

const start = 1_800_000_000_000;

/** Rules with the taint `example.com/bad`, and others with another taint. Every later call of the table takes 50 ms. */
async function clusterOf(rules: { readonly bad: number; readonly others: number }) {
  let calls: number | undefined;
  const world = createWorld({
    start,
    around: async (name, call) => {
      if (calls !== undefined && /^(get|query|write|transact)/.test(name)) {
        calls++;
        world.setNow(world.now() + 50);
      }
      return call();
    },
  });
  const rule = (kind: string, key: string) => (_: unknown, i: number) =>
    aRule(`${kind}-${i}`, start, {
      uid: `${kind}-${i}`,
      deviceSelector: { pool: 'none' },
      taint: { key, effect: 'NoExecute', timeAdded: start },
    });
  const objects = [
    ...Array.from({ length: rules.bad }, rule('bad', 'example.com/bad')),
    ...Array.from({ length: rules.others }, rule('other', 'example.com/other')),
  ];
  for (let i = 0; i < objects.length; i += 100)
    await world.deliver({ stage: 'ingest', at: start, body: objects.slice(i, i + 100).map((one) => upserted(one)) });
  await world.runUntil(start + 30_000);
  world.messages.splice(0);
  /** For each invocation, the rules whose reports it requested, and the number of its table calls. */
  const asked = async (...changes: Parameters<typeof world.deliver>[0][]) => {
    const found: { readonly refs: readonly string[]; readonly calls: number }[] = [];
    for (let next = changes.shift(); next; next = changes.shift()) {
      calls = 0;
      await world.deliver(next);
      const sent = world.messages.splice(0);
      const refs = sent.flatMap((one) => (one.stage === 'report' ? [one.body.rule] : []));
      found.push({ refs: refs.filter((ref) => !ref.startsWith('EvictionPolicy/')), calls });
      changes.push(...sent.filter(({ stage }) => stage === 'ingest'));
    }
    calls = undefined;
    return found;
  };
  const apply = (policy: EvictionPolicy) =>
    asked({ stage: 'ingest', at: world.now(), body: [upserted({ ...policy, resourceVersion: nextVersion() })] });
  const remove = (policy: EvictionPolicy) => asked({ stage: 'ingest', at: world.now(), body: [deleted(policy)] });
  return { world, apply, remove, pass: () => world.setNow(world.now() + 60_000) };
}

const policyFor = (key: string) => evictionPolicy({ taints: { keys: [key] }, evictionsPerSecond: 1 });
const refsOf = (found: readonly { readonly refs: readonly string[] }[]) => found.flatMap(({ refs }) => refs).toSorted();
const bad = ['bad-0', 'bad-1', 'bad-2'];

describe('reports after a change of a policy', () => {
  it.each([10, 400])(
    'an EvictionPolicy requests reports only of the rules that it selects, among %d others',
    async (others) => {
      const { apply } = await clusterOf({ bad: 3, others });
      const found = await apply(policyFor('example.com/bad'));
      expect(refsOf(found)).toEqual(bad);
    },
  );

  it('an EvictionPolicy that is edited or deleted requests reports of the rules that it selected before', async () => {
    const { apply, remove, pass } = await clusterOf({ bad: 3, others: 10 });
    await apply(policyFor('example.com/bad'));
    pass();
    expect(refsOf(await apply(policyFor('example.com/none')))).toEqual(bad);
    pass();
    await apply(policyFor('example.com/bad'));
    pass();
    const gone = { ...policyFor('example.com/bad'), resourceVersion: nextVersion() };
    expect(refsOf(await remove(gone))).toEqual(bad);
  });

  it('an EvictionPolicy that selects 1,200 rules needs no longer invocations than one that selects 400', async () => {
    const [few, many] = [await clusterOf({ bad: 400, others: 0 }), await clusterOf({ bad: 1200, others: 0 })];
    const [small, large] = [
      await few.apply(policyFor('example.com/bad')),
      await many.apply(policyFor('example.com/bad')),
    ];
    expect(new Set(refsOf(small)).size).toBe(400);
    const chained = Math.max(...large.map(({ calls }) => calls));
    expect(chained).toBeLessThanOrEqual(Math.max(...small.map(({ calls }) => calls)) + 10);
    expect(Math.max(...large.map(({ refs }) => refs.length))).toBeLessThanOrEqual(300);
    expect(new Set(refsOf(large)).size).toBe(1200);
  });
});
