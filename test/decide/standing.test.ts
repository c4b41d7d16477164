// The history of the taints that are added to and removed from a device.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PresentTaint, presentTaints, standingAfter } from '../../lib/decide/standing.ts';
import { longestHealthyDelay, type StandingTaint } from '../../lib/model/standing.ts';
import { slice, t0, taint } from '../support/builders.ts';
import { aTaintSlice } from '../support/objects.ts';

const source = 'ResourceSlice';
const here: PresentTaint = { source, key: 'k' };
const since = (more: Partial<StandingTaint> = {}): StandingTaint => ({ ...here, since: t0, ...more });
const now = t0 + 1000;

describe('the taint history of a device', () => {
  it.each([
    ['records a new taint', [], [here], [since({ since: now })]],
    ['is unchanged when nothing changed', [since()], [here], undefined],
    ['is unchanged when there is no taint and was none', [], [], undefined],
    ['records when a taint was removed', [since()], [], [since({ liftedAt: now })]],
    ['keeps that time while the taint is absent', [since({ liftedAt: t0 + 1 })], [], undefined],
    [
      'records when a returning taint had been removed',
      [since({ liftedAt: t0 + 1 })],
      [here],
      [since({ since: now, healedAt: t0 + 1 })],
    ],
    [
      'replaces the earlier removal when the taint is removed and returns again',
      [since({ healedAt: t0 - 9, liftedAt: t0 + 1 })],
      [here],
      [since({ since: now, healedAt: t0 + 1 })],
    ],
    ['keeps keys apart', [since()], [here, { source, key: 'l' }], [since(), since({ key: 'l', since: now })]],
    [
      'keeps drivers and agents apart',
      [since()],
      [{ source: 'DeviceTaintSlice', key: 'k' }],
      [since({ source: 'DeviceTaintSlice', since: now }), since({ liftedAt: now })],
    ],
    [
      'drops taints removed longer ago than any policy needs, once something changes',
      [since({ liftedAt: now - longestHealthyDelay - 1 })],
      [{ source, key: 'l' }],
      [since({ key: 'l', since: now })],
    ],
    [
      'keeps removed taints for as long as a policy may need',
      [since({ liftedAt: now - longestHealthyDelay })],
      [{ source, key: 'l' }],
      [since({ key: 'l', since: now }), since({ liftedAt: now - longestHealthyDelay })],
    ],
  ] as const)('the taint history of a device %s', (_, known, present, after) => {
    expect(standingAfter(known, present, now)).toEqual(after);
  });

  it('the taint history of a device matches its present taints after any look, and a second look at the same writes nothing', () => {
    const taints = fc.uniqueArray(
      fc.record({
        source: fc.constantFrom('ResourceSlice' as const, 'DeviceTaintSlice' as const),
        key: fc.constantFrom('a', 'b'),
      }),
      { selector: (one) => JSON.stringify(one) },
    );
    fc.assert(
      fc.property(fc.array(taints, { maxLength: 12 }), (looks) => {
        let known: readonly StandingTaint[] = [];
        for (const [i, present] of looks.entries()) {
          known = standingAfter(known, present, t0 + i) ?? known;
          const standing = known
            .filter(({ liftedAt }) => liftedAt === undefined)
            .map(({ source: from, key }) => `${from} ${key}`);
          expect(standing.sort()).toEqual(present.map(({ source: from, key }) => `${from} ${key}`).sort());
          expect(standingAfter(known, present, t0 + i)).toBeUndefined();
          expect(
            known.every((one) => (one.healedAt ?? 0) <= one.since && one.since <= (one.liftedAt ?? one.since)),
          ).toBe(true);
        }
      }),
    );
  });
});

describe('the present taints of a device', () => {
  const published = (generation: number, taints: object[]) =>
    slice({
      name: `s${generation}`,
      pool: { name: 'worker', generation },
      devices: [{ name: 'd', taints: taints as never }, { name: 'clean' }],
    });
  const entry = (device: string, effect: string) => ({ device, taint: { key: 'a', effect } });
  it('the present taints of a device are the keys with NoExecute, each once per driver and agent', () => {
    const slices = [
      published(1, [
        taint({ key: 'k' }),
        taint({ key: 'k', value: 'other' }),
        taint({ key: 'n', effect: 'NoSchedule' }),
      ]),
    ];
    const agent = aTaintSlice('agent', {
      driver: 'some-driver',
      pool: 'worker',
      taints: [entry('d', 'NoExecute'), entry('e', 'NoSchedule')],
    });
    expect([...presentTaints({ slices, taintSlices: [agent] })]).toEqual([
      ['some-driver|worker|d', [here, { source: 'DeviceTaintSlice', key: 'a' }]],
    ]);
  });

  it('the present taints of a device are those of the newest generation of its pool', () => {
    const slices = [published(1, [taint({ key: 'k' })]), published(2, [])];
    expect(presentTaints({ slices, taintSlices: [] }).size).toBe(0);
  });
});
