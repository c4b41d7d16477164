// What an update of the page Rules sends to a browser: the rules that changed, whatever the number of rules.
import { expect, it } from 'vitest';
import { createPatcher } from '../../../lib/commands/console/live.ts';
import { rulesPage } from '../../../lib/view/console/rulesPage.ts';
import type { RuleRow } from '../../../lib/view/console/ruleTools.ts';
import type { LimiterProgress } from '../../../lib/view/progress.ts';
import { aPicture } from '../../view/pictures.ts';
import { limiterOf } from '../support/crowdedScene.ts';

const limitersOf = (count: number) =>
  Array.from({ length: count }, (_, index) => limiterOf(`rule-${index}`, { uid: `uid-${index}`, index }));

const rowsOf = (limiters: readonly LimiterProgress[]) =>
  limiters.map(
    ({ name, limiter, taint, selector }): RuleRow => ({
      ref: `DeviceTaintRule/${name}`,
      taint,
      devices: selector,
      state: 'Evicting',
      message: '',
      pauses: [],
      waitsForApproval: false,
      limiters: [limiter],
    }),
  );

/** The update that a browser gets when the limiters become others. */
function updateOf(before: readonly LimiterProgress[], after: readonly LimiterProgress[]) {
  const patch = createPatcher();
  const page = (limiters: readonly LimiterProgress[]) =>
    rulesPage(
      {
        progress: aPicture({ limiters, plans: [], last: [] }),
        rules: rowsOf(limiters),
        slices: [],
        may: () => true,
        isRead: true,
      },
      { search: '', page: 1 },
    ).regions;
  const first = patch(page(before));
  const next = patch(page(after));
  return {
    first: JSON.stringify(first).length,
    regions: Object.keys(next?.set ?? {}),
    bytes: JSON.stringify(next).length,
    isReordered: next?.order !== undefined,
  };
}

const evictOne = (one: LimiterProgress): LimiterProgress => ({
  ...one,
  counts: { ...one.counts, evicted: one.counts.evicted + 1, pending: Math.max(0, one.counts.pending - 1) },
  perSecond: [...one.perSecond.slice(1), 1],
});

it('an update of the page Rules sends one row for one rule without a card that has changed', () => {
  const limiters = limitersOf(50);
  // The last evicting rule on the first page of the list.
  const update = updateOf(
    limiters,
    limiters.map((one, i) => (i === 46 ? evictOne(one) : one)),
  );
  expect(update.regions).toEqual(['rule-DeviceTaintRule/rule-46']);
  expect(update.isReordered).toBe(false);
  expect(update.bytes).toBeLessThan(2500);
});

it('an update of the page Rules in which every rule evicts a pod is of the same size with 50 rules as with 500', () => {
  const [few, many, most] = [5, 50, 500].map((count) => {
    const limiters = limitersOf(count);
    return updateOf(limiters, limiters.map(evictOne));
  });
  if (!few || !many || !most) throw new Error('three sizes were measured');
  expect(most.first).toBeLessThan(many.first * 1.05);
  expect(most.bytes).toBeLessThan(many.bytes * 1.05);
  // Four cards at most with any number of rules, and twenty rows.
  expect(few.bytes).toBeLessThan(25_000);
  expect(many.bytes).toBeLessThan(60_000);
});
