// The rate that kubectl shows in the column RATE of PacedTaintRules: as it applies, wherever it is set.
import { expect, it } from 'vitest';
import type { EvictionPolicy } from '../../../lib/model/policy.ts';
import type { PacedTaintRule } from '../../../lib/model/rule.ts';
import { aPacedRule } from '../../support/objects.ts';
import { evictionPolicy } from '../../support/pacedBuilders.ts';
import { type PacedWorld, pacedWorld } from '../../support/pacedWorld.ts';

const shown = ({ world }: PacedWorld) => world.api.rules.get('PacedTaintRule/r')?.shownRate;
const taint = { key: 'k', effect: 'NoExecute' };
const noted = (text: string) => ({ annotations: { 'sluice.dev/evictions-per-second': text } });

it.each<[string, Partial<PacedTaintRule>, Partial<EvictionPolicy>, string]>([
  ['its taint', { taints: [{ ...taint, evictionsPerSecond: 0.5 }] }, {}, '0.5'],
  ['an annotation', noted('2'), {}, '2'],
  ['its policy', {}, { evictionsPerSecond: 3 }, '3'],
  ['the default', {}, {}, '10'],
  [
    'a taint above the cap of its policy',
    { taints: [{ ...taint, evictionsPerSecond: 5 }] },
    { maxEvictionsPerSecond: 1 },
    '1',
  ],
  ['an annotation that cannot be read', noted('fast'), {}, '0'],
  [
    'two taints',
    {
      taints: [
        { ...taint, evictionsPerSecond: 5 },
        { ...taint, key: 'l' },
      ],
    },
    {},
    '5, 10',
  ],
  ['two taints alike', { taints: [taint, { ...taint, key: 'l' }] }, {}, '10'],
])('a rule shows the rate that is set by %s', async (_, rule, policy, rate) => {
  const paced = await pacedWorld({});
  await paced.ask(evictionPolicy(policy));
  await paced.write(aPacedRule('r', rule));
  await paced.run(2);
  expect(shown(paced)).toBe(rate);
});

it('the rate that is shown follows a change of the policy, and is written only where it changes', async () => {
  const paced = await pacedWorld({});
  const written: string[] = [];
  const { ruleStatus } = paced.world.api;
  const applyRate = ruleStatus.applyRate.bind(ruleStatus);
  Object.assign(ruleStatus, {
    applyRate: (...of: Parameters<typeof applyRate>) => {
      written.push(of[1]);
      return applyRate(...of);
    },
  });
  await paced.ask(evictionPolicy({ evictionsPerSecond: 3 }));
  await paced.write(aPacedRule('r'));
  await paced.run(30);
  await paced.ask(evictionPolicy({ evictionsPerSecond: 4 }));
  await paced.run(30);
  expect(written).toEqual(['3', '4']);
});
