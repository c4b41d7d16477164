// Which differences count as declared, and that the search for a shorter history only ever tries shorter ones.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { histories } from './arbitraries.ts';
import { differencesOf, judge } from './compare.ts';
import { shorter } from './shrink.ts';

const by = { when: 'end', conditions: ['r0'] };
const seen = { pods: { 'pod-0': 'live #0' }, conditions: { r0: 'False NotStarted: ' }, early: [] };
const gone = { ...seen, pods: { 'pod-0': 'deleted #0' } };

it('two equal sides have no difference', () => {
  expect(differencesOf({ inTree: seen, sluice: seen }, by)).toEqual([]);
});

it('a pod that only Sluice deletes is declared only for an extended resource, and one that Sluice deletes early never', () => {
  fc.assert(
    fc.property(histories, (history) => {
      const wrong = differencesOf({ inTree: seen, sluice: gone }, by);
      const isExtended = history.world.pods[0]?.references.some(({ by }) => by === 'extended') === true;
      expect(judge(wrong, history).undeclared).toEqual(isExtended ? [] : wrong);
      const early = differencesOf({ inTree: gone, sluice: { ...gone, early: ['pod-0 3 s before it was due'] } }, by);
      expect(judge(early, history).undeclared).toHaveLength(1);
    }),
  );
});

it('a pod that Sluice misses is declared only for a toleration beyond 64 bits', () => {
  const missed = differencesOf({ inTree: gone, sluice: seen }, by);
  fc.assert(
    fc.property(histories, (history) => {
      const isBeyond = JSON.stringify(history).includes('"tolerationSeconds":10000000000');
      expect(judge(missed, history).undeclared).toHaveLength(isBeyond ? 0 : 1);
    }),
    { numRuns: 300 },
  );
});

it('different numbers of devices in a preview are declared for a rule over everything, different numbers of pods are not', () => {
  const world = { slices: [], rules: [], claims: [], pods: [] };
  const taint = { key: 'k', effect: 'None', added: { from: 'server' } } as const;
  const everything = { world: { ...world, rules: [{ selector: {}, taint }] }, changes: [] };
  const named = { world: { ...world, rules: [{ selector: { driver: 0 }, taint }] }, changes: [] };
  const preview = (allocated: number, pods: number) => ({
    ...seen,
    conditions: {
      r0: `False NoEffect: 9 published devices selected. ${allocated} allocated devices selected. ${pods} pods`,
    },
  });
  const differ = (a: typeof seen, b: typeof seen) =>
    differencesOf({ inTree: a, sluice: b }, { when: 'change 1', conditions: ['r0'] });
  expect(judge(differ(preview(21, 1), preview(22, 1)), everything).undeclared).toEqual([]);
  expect(judge(differ(preview(21, 1), preview(22, 1)), named).undeclared).toHaveLength(1);
  expect(judge(differ(preview(21, 1), preview(21, 2)), everything).undeclared).toHaveLength(1);
});

it('every history that the search tries next is shorter', () => {
  fc.assert(
    fc.property(histories, (history) => {
      const size = weight(history);
      for (const one of shorter(history)) expect(weight(one)).toBeLessThan(size);
    }),
    { numRuns: 20 },
  );
});

/** Length of a history as text; an unbound pod weighs less than a bound one. */
function weight(history: unknown): number {
  return JSON.stringify(history).replaceAll('false', '').length;
}
