// A lower mode applies at once; a source that will evict again publishes its plan first.
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
    name: 'the first look applies the configured modes and evaluates the sources that are not owned again',
    configured: modes('shadow'),
    stored: {},
    next: { modes: { applied: modes('shadow') }, changed: ['native'], raised: [], begun: [] },
  },
  {
    name: 'the first look with everything owned evaluates nothing again',
    stored: {},
    next: { modes: { applied: allOwned }, changed: [], raised: [], begun: [] },
  },
  { name: 'nothing happens when the modes are as wanted', stored: { applied: allOwned }, next: undefined },
  {
    name: 'a switch to off applies at once',
    stored: { applied: allOwned, switched: { paced: 'off' } },
    next: {
      modes: { applied: modes('own', 'off'), switched: { paced: 'off' } },
      changed: ['paced'],
      raised: [],
      begun: [],
    },
  },
  {
    name: 'a switch from off to shadow applies at once',
    configured: modes('shadow'),
    stored: { applied: modes('off') },
    next: { modes: { applied: modes('shadow') }, changed: ['native'], raised: ['native'], begun: [] },
  },
  {
    name: 'a trace of the in-tree controller lowers native taints to shadow at once',
    stored: { applied: allOwned, inTree: trace },
    next: {
      modes: { applied: modes('shadow'), inTree: trace },
      changed: ['native'],
      raised: [],
      begun: [],
    },
  },
  {
    name: 'a trace of the in-tree controller changes nothing for native taints in mode off',
    configured: modes('off'),
    stored: { applied: modes('off'), inTree: trace },
    next: undefined,
  },
  {
    name: 'a trace of the in-tree controller withdraws a published plan',
    stored: { applied: modes('shadow'), rising: { native: now - planShownFor }, inTree: trace },
    next: { modes: { applied: modes('shadow'), inTree: trace }, changed: [], raised: [], begun: [] },
  },
  {
    name: 'a cluster configured to ignore the in-tree controller stays in mode own',
    configured: { ...allOwned, ignoresInTree: true },
    stored: { applied: allOwned, inTree: trace },
    next: undefined,
  },
  {
    name: 'a switch raises no source above the configuration',
    configured: modes('off'),
    stored: { applied: modes('off'), switched: { native: 'own' } },
    next: undefined,
  },
  {
    name: 'a caller that cannot make plans does not raise a source',
    stored: { applied: modes('off') },
    mayPlan: false,
    next: undefined,
  },
  {
    name: 'a source that will evict again gets a plan first',
    stored: { applied: modes('off') },
    next: { modes: { applied: modes('off'), rising: { native: now } }, changed: [], raised: [], begun: ['native'] },
  },
  {
    name: 'a published plan waits for half a minute',
    stored: { applied: modes('off'), rising: { native: now - planShownFor + 1 } },
    next: undefined,
  },
  {
    name: 'a source evicts half a minute after its plan was published',
    stored: { applied: modes('off'), rising: { native: now - planShownFor } },
    next: { modes: { applied: allOwned }, changed: ['native'], raised: ['native'], begun: [] },
  },
  {
    name: 'a caller that cannot make plans raises a source half a minute after its plan was published',
    stored: { applied: modes('off'), rising: { native: now - planShownFor } },
    mayPlan: false,
    next: { modes: { applied: allOwned }, changed: ['native'], raised: ['native'], begun: [] },
  },
  {
    name: 'a switch to off withdraws a published plan',
    stored: { applied: modes('off'), switched: { native: 'off' }, rising: { native: now - 1 } },
    next: { modes: { applied: modes('off'), switched: { native: 'off' } }, changed: [], raised: [], begun: [] },
  },
  {
    name: 'a published plan is not made again with the plan of another source',
    stored: { applied: modes('off', 'off'), rising: { native: now - 1 } },
    next: {
      modes: { applied: modes('off', 'off'), rising: { native: now - 1, paced: now } },
      changed: [],
      raised: [],
      begun: ['paced'],
    },
  },
  {
    name: 'one source evicts again while the plan of the other begins',
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
  it.each(rows)('a switch of modes: $name', ({ configured = allOwned, stored, mayPlan = true, next }) => {
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

  it('a switch lets no source evict again unless its plan was published for half a minute', () => {
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

  it('the effective modes never exceed the configuration, whatever is stored', () => {
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
  ])('a configuration of %j allows less than the stored modes %j: %s', (configured, stored, less) => {
    expect(allowsLess(configured, stored)).toBe(less);
  });

  it.each([
    ['rule|uid', ['native']],
    ['rule|uid|key|NoExecute', ['paced']],
    ['slice|driver|key||NoExecute', ['native', 'paced']],
  ])('the limiter %s lists pods of the sources %j', (limiter, expected) => {
    expect(sourcesOfLimiter(limiter)).toEqual(expected);
  });
});

describe('a trace of the in-tree controller', () => {
  it.each<{ name: string; stored: StoredModes; seen: typeof trace | undefined; kept: StoredModes['inTree'] }>([
    { name: 'a new one', stored: {}, seen: trace, kept: trace },
    { name: 'none when none was seen', stored: {}, seen: undefined, kept: undefined },
    { name: 'the first of several', stored: { inTree: trace }, seen: { ...trace, at: now }, kept: trace },
    { name: 'none from before an operator set own', stored: { heedAfter: now }, seen: trace, kept: undefined },
    {
      name: 'none from the moment when an operator set own',
      stored: { heedAfter: trace.at },
      seen: trace,
      kept: undefined,
    },
    { name: 'one from after an operator set own', stored: { heedAfter: trace.at - 1 }, seen: trace, kept: trace },
  ])('a trace of the in-tree controller is stored: $name', ({ stored, seen, kept }) => {
    expect(withInTree(stored, seen).inTree).toEqual(kept);
  });

  it('a trace of the in-tree controller lowers only native taints, unless the cluster ignores it', () => {
    expect(effectiveModes(allOwned, { inTree: trace, applied: allOwned })).toEqual(modes('shadow'));
    expect(effectiveModes({ ...allOwned, ignoresInTree: true }, { inTree: trace })).toEqual(allOwned);
  });
});
