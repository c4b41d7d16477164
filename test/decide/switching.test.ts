// Less is done at once; a source that is to evict again shows its plan first.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planShownFor, switchingOf } from '../../lib/decide/switching.ts';
import {
  allOwned,
  allowsLess,
  type ConfiguredModes,
  effectiveModes,
  isLower,
  type Mode,
  type Modes,
  type StoredModes,
  sourcesOfLimiter,
  withInTree,
} from '../../lib/model/ownership.ts';

const now = 1_800_000_000_000;
const trace = { at: now - 1, evidence: 'it marked pod default/a' };
const modes = (native: Mode, paced: Mode = 'own'): Modes => ({ native, paced });

interface Row {
  readonly name: string;
  readonly configured?: ConfiguredModes;
  readonly stored: StoredModes;
  readonly mayPlan?: boolean;
  readonly next: ReturnType<typeof switchingOf>;
}

const rows: readonly Row[] = [
  {
    name: 'who looks for the first time takes the modes as configured, and what is not owned is looked at again',
    configured: modes('shadow'),
    stored: {},
    next: { modes: { applied: modes('shadow') }, changed: ['native'], raised: [], begun: [] },
  },
  {
    name: 'who owns everything from the beginning has nothing to look at',
    stored: {},
    next: { modes: { applied: allOwned }, changed: [], raised: [], begun: [] },
  },
  { name: 'nothing happens where all is as wanted', stored: { applied: allOwned }, next: undefined },
  {
    name: 'off is at once',
    stored: { applied: allOwned, switched: { paced: 'off' } },
    next: {
      modes: { applied: modes('own', 'off'), switched: { paced: 'off' } },
      changed: ['paced'],
      raised: [],
      begun: [],
    },
  },
  {
    name: 'shadow is at once even from below',
    configured: modes('shadow'),
    stored: { applied: modes('off') },
    next: { modes: { applied: modes('shadow') }, changed: ['native'], raised: ['native'], begun: [] },
  },
  {
    name: 'where the in-tree controller was seen, native taints are only watched, at once',
    stored: { applied: allOwned, inTree: trace },
    next: {
      modes: { applied: modes('shadow'), inTree: trace },
      changed: ['native'],
      raised: [],
      begun: [],
    },
  },
  {
    name: 'it lowers nothing that is off, and raises nothing',
    configured: modes('off'),
    stored: { applied: modes('off'), inTree: trace },
    next: undefined,
  },
  {
    name: 'a plan that can be read is not carried out once the in-tree controller was seen',
    stored: { applied: modes('shadow'), rising: { native: now - planShownFor }, inTree: trace },
    next: { modes: { applied: modes('shadow'), inTree: trace }, changed: [], raised: [], begun: [] },
  },
  {
    name: 'a cluster configured to ignore it continues',
    configured: { ...allOwned, ignoresInTree: true },
    stored: { applied: allOwned, inTree: trace },
    next: undefined,
  },
  {
    name: 'no switch raises a source above what is configured',
    configured: modes('off'),
    stored: { applied: modes('off'), switched: { native: 'own' } },
    next: undefined,
  },
  {
    name: 'who cannot make plans leaves a source that is to evict again where it is',
    stored: { applied: modes('off') },
    mayPlan: false,
    next: undefined,
  },
  {
    name: 'a source that is to evict again first has its plan made',
    stored: { applied: modes('off') },
    next: { modes: { applied: modes('off'), rising: { native: now } }, changed: [], raised: [], begun: ['native'] },
  },
  {
    name: 'the plan can be read for half a minute',
    stored: { applied: modes('off'), rising: { native: now - planShownFor + 1 } },
    next: undefined,
  },
  {
    name: 'after that it evicts',
    stored: { applied: modes('off'), rising: { native: now - planShownFor } },
    next: { modes: { applied: allOwned }, changed: ['native'], raised: ['native'], begun: [] },
  },
  {
    name: 'after that it does not take who could make a plan',
    stored: { applied: modes('off'), rising: { native: now - planShownFor } },
    mayPlan: false,
    next: { modes: { applied: allOwned }, changed: ['native'], raised: ['native'], begun: [] },
  },
  {
    name: 'who switches off meanwhile takes the plan back',
    stored: { applied: modes('off'), switched: { native: 'off' }, rising: { native: now - 1 } },
    next: { modes: { applied: modes('off'), switched: { native: 'off' } }, changed: [], raised: [], begun: [] },
  },
  {
    name: 'a plan that is out is not made again for another source',
    stored: { applied: modes('off', 'off'), rising: { native: now - 1 } },
    next: {
      modes: { applied: modes('off', 'off'), rising: { native: now - 1, paced: now } },
      changed: [],
      raised: [],
      begun: ['paced'],
    },
  },
  {
    name: 'sources rise one by one',
    stored: { applied: modes('shadow', 'off'), rising: { native: now - planShownFor } },
    next: {
      modes: { applied: modes('own', 'off'), rising: { paced: now } },
      changed: ['native'],
      raised: ['native'],
      begun: ['paced'],
    },
  },
];

describe('a switch of modes', () => {
  it.each(rows)('$name', ({ configured = allOwned, stored, mayPlan = true, next }) => {
    expect(switchingOf({ configured, stored, mayPlan, now })).toEqual(next);
  });

  const aMode = fc.constantFrom<Mode>('own', 'shadow', 'off');
  const someModes = fc.record({ native: aMode, paced: aMode });
  const aStored: fc.Arbitrary<StoredModes> = fc
    .record(
      {
        applied: someModes,
        switched: fc.record({ native: aMode, paced: aMode }, { requiredKeys: [] }),
        rising: fc.record({ native: fc.constant(now - 60_000), paced: fc.constant(now - 1) }, { requiredKeys: [] }),
      },
      { requiredKeys: [] },
    )
    .map((one) => one as StoredModes);

  it('never lets a source evict that did not before, unless its plan was out for half a minute', () => {
    fc.assert(
      fc.property(someModes, aStored, fc.boolean(), (configured, stored, mayPlan) => {
        const next = switchingOf({ configured, stored, mayPlan, now });
        const after = effectiveModes(configured, next?.modes ?? stored);
        for (const source of ['native', 'paced'] as const) {
          if (after[source] !== 'own' || stored.applied === undefined) continue;
          const since = stored.rising?.[source] ?? now;
          expect(stored.applied[source] === 'own' || now - since >= planShownFor).toBe(true);
        }
      }),
    );
  });

  it('never does more than is configured, whatever is stored', () => {
    fc.assert(
      fc.property(someModes, aStored, (configured, stored) => {
        const { native, paced } = effectiveModes(configured, stored);
        expect(isLower(configured.native, native) || isLower(configured.paced, paced)).toBe(false);
      }),
    );
  });

  it.each<[Modes, StoredModes | undefined, boolean]>([
    [allOwned, undefined, false],
    [modes('shadow'), undefined, true],
    [modes('own', 'off'), {}, true],
    [modes('shadow'), { applied: modes('shadow') }, false],
    [modes('off'), { applied: modes('shadow') }, true],
    [allOwned, { applied: modes('off', 'off') }, false],
    [modes('off', 'own'), { applied: modes('own', 'off') }, true],
  ])('a configuration of %j allows less than a cluster that is known by %j: %s', (configured, stored, less) => {
    expect(allowsLess(configured, stored)).toBe(less);
  });

  it.each([
    ['rule|uid', ['native']],
    ['rule|uid|key|NoExecute', ['paced']],
    ['slice|driver|key||NoExecute', ['native', 'paced']],
  ])('limiter %s lists pods of %j', (limiter, expected) => {
    expect(sourcesOfLimiter(limiter)).toEqual(expected);
  });
});

describe('a trace of the in-tree controller', () => {
  it.each<{ name: string; stored: StoredModes; seen: typeof trace | undefined; kept: StoredModes['inTree'] }>([
    { name: 'is kept', stored: {}, seen: trace, kept: trace },
    { name: 'that was not seen is not', stored: {}, seen: undefined, kept: undefined },
    { name: 'stays the first one', stored: { inTree: trace }, seen: { ...trace, at: now }, kept: trace },
    { name: 'from before a person said own does not count', stored: { heedAfter: now }, seen: trace, kept: undefined },
    { name: 'of that moment does not', stored: { heedAfter: trace.at }, seen: trace, kept: undefined },
    { name: 'from after it does', stored: { heedAfter: trace.at - 1 }, seen: trace, kept: trace },
  ])('a trace of the in-tree controller is kept as long as it counts: $name', ({ stored, seen, kept }) => {
    expect(withInTree(stored, seen).inTree).toEqual(kept);
  });

  it('lowers what a step may do from the next read on, whatever the cluster runs at, and paced taints never', () => {
    expect(effectiveModes(allOwned, { inTree: trace, applied: allOwned })).toEqual(modes('shadow'));
    expect(effectiveModes({ ...allOwned, ignoresInTree: true }, { inTree: trace })).toEqual(allOwned);
  });
});
