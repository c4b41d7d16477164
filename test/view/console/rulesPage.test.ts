// The list of all rules beside their cards: conditions are written later than the state table, and a page says one thing.
import { expect, it } from 'vitest';
import { rulesPage } from '../../../lib/view/console/rulesPage.ts';
import { htmlOf } from '../../../lib/view/markup.ts';
import type { LimiterProgress } from '../../../lib/view/progress.ts';
import { aLimiter, aPicture } from '../pictures.ts';

function stateOf(limiter: LimiterProgress, condition: { readonly state: string; readonly message: string }): string {
  const rule = {
    ref: 'DeviceTaintRule/r',
    taint: 't',
    devices: 'd',
    pauses: [],
    waitsForApproval: false,
    ...condition,
  };
  const progress = aPicture({ limiters: [limiter] });
  const rules = [{ ...rule, limiters: [limiter.limiter] }];
  const page = rulesPage({ progress, rules, slices: [], may: () => false, isRead: true }, { search: '', page: 1 });
  const row = page.regions.find(({ id }) => id === `rule-${rule.ref}`);
  const [, text = ''] = /<p class="state">(.*?)<\/p>/.exec(row ? htmlOf(row.html) : '') ?? [];
  return text.replace(/<[^>]*>/g, '');
}

const evicting = { state: 'Evicting', message: '8 pods need to be evicted.' };
const canary = { state: 'Held: Canary', message: 'Canary of EvictionPolicy p.' };
const none = { evicted: 0, deleting: 0, pending: 0, waiting: 0 };

it.each([
  ['whose pods are not listed yet', aLimiter({ state: 'NotStarted', counts: none }), evicting, 'No pods yet'],
  ['that is completed', aLimiter({ state: 'Completed' }), evicting, 'Completed'],
  ['that is held', aLimiter({ heldBecause: 'its rate is 0' }), evicting, 'Held its rate is 0.'],
  ['that is no longer held', aLimiter({}), canary, 'Evicting'],
  [
    'that is held, as its condition says',
    aLimiter({ heldBecause: 'x' }),
    canary,
    'Held: Canary Canary of EvictionPolicy p.',
  ],
  [
    'that is completed, as its condition says',
    aLimiter({ state: 'Completed' }),
    { state: 'Completed', message: '3.' },
    'Completed 3.',
  ],
])('the list of rules shows a rule %s as its card does', (_, limiter, condition, text) => {
  expect(stateOf(limiter, condition)).toBe(text);
});

it.each([
  ['says that there are none where the cluster was read', true, 'There are no rules'],
  ['says that they are not known where nothing was read', false, 'Rules are not known'],
])('the page Rules without rules %s', (_, isRead, says) => {
  const of = { progress: undefined, rules: [], slices: [], may: () => false, isRead };
  const page = rulesPage(of, { search: '', page: 1 });
  expect(page.regions.map(({ html }) => htmlOf(html)).join('')).toContain(says);
});
