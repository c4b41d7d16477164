// What shadow mode makes of a pod: a decision to keep, a difference, or nothing to compare.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareShadow, type Look, shadowSlack } from '../../lib/decide/shadow.ts';
import type { ShadowDecision } from '../../lib/model/shadow.ts';
import type { Reason, Verdict } from '../../lib/model/verdict.ts';
import { aPod } from '../support/objects.ts';

const now = 1_800_000_000_000;
const reason = (name: string): Reason => ({
  origin: { kind: 'Rule', name, uid: `uid-${name}`, generation: 1 },
  taint: { key: 'example.com/bad', effect: 'NoExecute', timeAdded: now },
  device: { driver: 'gpu.example.com', pool: 'node-1', device: 'a' },
  claim: { namespace: 'default', name: 'claim-a' },
  at: now,
});
const because = [reason('r')];
const podUid = 'uid-a';
const evictAt = (at: number): Verdict => ({ kind: 'EvictAt', at, because });
const keep: Verdict = { kind: 'Keep' };
const decided = (at: number, more: Partial<ShadowDecision> = {}): ShadowDecision => ({ podUid, at, because, ...more });
const living = aPod('a');
const terminating = aPod('a', { deletionTimestamp: now + 30_000 });
const marked = aPod('a', { deletionTimestamp: now + 30_000, markedBy: 'InTree' });
const base: Look = {
  pod: living,
  gone: false,
  verdict: keep,
  before: undefined,
  isOwnDelete: false,
  watchesInTree: true,
  now,
};

const rows: readonly (readonly [string, Partial<Look>, ReturnType<typeof compareShadow>])[] = [
  ['of a pod that stays there is nothing to keep', {}, {}],
  ['of an undecided pod there is nothing to keep', { verdict: { kind: 'Unknown', why: 'x' } }, {}],
  [
    'a decision is compared a while after it is due',
    { verdict: evictAt(now + 5000) },
    { decision: decided(now + 5000, { check: now + 5000 + shadowSlack }) },
  ],
  [
    'one that was due long ago gives the other controller the same while from now on',
    { verdict: evictAt(now - 500_000) },
    { decision: decided(now - 500_000, { check: now + shadowSlack }) },
  ],
  [
    'looking again does not postpone the comparison',
    { verdict: evictAt(now - 500_000), before: decided(now - 500_000, { check: now + 1 }) },
    { decision: decided(now - 500_000, { check: now + 1 }) },
  ],
  [
    'another due time does',
    { verdict: evictAt(now), before: decided(now - 500_000, { check: now + 1 }) },
    { decision: decided(now, { check: now + shadowSlack }) },
  ],
  [
    'a pod that is still there then is a difference',
    { verdict: evictAt(now - 90_000), before: decided(now - 90_000, { check: now }) },
    { decision: decided(now - 90_000, { found: 'NotDeleted' }), found: 'NotDeleted' },
  ],
  [
    'which is found once',
    { verdict: evictAt(now), before: decided(now - 90_000, { found: 'NotDeleted' }) },
    { decision: decided(now, { found: 'NotDeleted' }) },
  ],
  ['a reason that went away takes the decision along', { before: decided(now, { check: now }) }, {}],
  ['a reason that went away takes the found difference along', { before: decided(now, { found: 'NotDeleted' }) }, {}],
  [
    'a decision about a predecessor of the same name is none',
    { verdict: evictAt(now), before: { ...decided(now, { check: now - 1 }), podUid: 'other' } },
    { decision: decided(now, { check: now + shadowSlack }) },
  ],
  [
    'a pod that the in-tree controller deleted as decided agrees',
    { pod: marked, before: decided(now - 1, { check: now + 1 }) },
    { decision: decided(now - 1, { endedAt: now, found: 'Agreed' }), found: 'Agreed' },
  ],
  [
    'and so it does where the decision comes with the same look',
    { pod: marked, verdict: evictAt(now - 1) },
    { decision: decided(now - 1, { endedAt: now, found: 'Agreed' }), found: 'Agreed' },
  ],
  [
    'a minute early is no difference',
    { pod: marked, verdict: evictAt(now + shadowSlack) },
    { decision: decided(now + shadowSlack, { endedAt: now, found: 'Agreed' }), found: 'Agreed' },
  ],
  [
    'more than that is one',
    { pod: marked, verdict: evictAt(now + shadowSlack + 1) },
    { decision: decided(now + shadowSlack + 1, { endedAt: now, found: 'DeletedEarly' }), found: 'DeletedEarly' },
  ],
  [
    'what was found is not found again',
    { pod: marked, verdict: evictAt(now), before: decided(now, { found: 'Agreed', endedAt: now - 1 }) },
    { decision: decided(now, { found: 'Agreed', endedAt: now - 1 }) },
  ],
  [
    'nor forgotten by a late word of the pod',
    { before: decided(now, { found: 'Agreed', endedAt: now - 1 }) },
    { decision: decided(now, { found: 'Agreed', endedAt: now - 1 }) },
  ],
  [
    'nor something else after it',
    { pod: marked, verdict: evictAt(now), before: decided(now, { found: 'NotDeleted' }) },
    { decision: decided(now, { found: 'NotDeleted' }) },
  ],
  [
    'a pod that was due and that someone else deleted is a difference',
    { pod: terminating, before: decided(now, { check: now + 1 }) },
    { decision: decided(now, { endedAt: now, found: 'DeletedByOther' }), found: 'DeletedByOther' },
  ],
  [
    'gone without a trace is the same',
    { gone: true, before: decided(now, { check: now + 1 }) },
    { decision: decided(now, { endedAt: now, found: 'DeletedByOther' }), found: 'DeletedByOther' },
  ],
  ['one that was not due is not counted', { pod: terminating, before: decided(now + 1, { check: now + 2 }) }, {}],
  [
    'one that Sluice deleted for taints of its own is not counted',
    { pod: terminating, verdict: evictAt(now), isOwnDelete: true },
    {},
  ],
  ['one without a decision is not counted', { pod: terminating }, {}],
  [
    'a pod that the in-tree controller deleted without a reason known here is looked at again',
    { pod: marked },
    { decision: { podUid, because: [], endedAt: now, check: now + shadowSlack } },
  ],
  [
    'agrees where the reason comes in late',
    { pod: marked, verdict: evictAt(now), before: { podUid, because: [], endedAt: now - 5, check: now + 1 } },
    { decision: decided(now, { endedAt: now - 5, found: 'Agreed' }), found: 'Agreed' },
  ],
  [
    'and is a difference where none does',
    { gone: true, pod: marked, before: { podUid, because: [], endedAt: now - shadowSlack, check: now } },
    { decision: { podUid, because: [], endedAt: now - shadowSlack, found: 'NotExpected' }, found: 'NotExpected' },
  ],
  ['which is of no interest where native taints are not watched', { pod: marked, watchesInTree: false }, {}],
];

describe('a look at a pod in shadow mode', () => {
  it.each(rows)('%s', (_, look, expected) => {
    expect(compareShadow({ ...base, ...look })).toEqual(expected);
  });

  it('keeps three reasons at most', () => {
    const many: Verdict = { kind: 'EvictAt', at: now, because: ['a', 'b', 'c', 'd'].map(reason) };
    expect(compareShadow({ ...base, verdict: many }).decision?.because).toHaveLength(3);
    expect(compareShadow({ ...base, pod: marked, verdict: many }).decision?.because).toHaveLength(3);
  });

  it('finds at most one thing about a pod whose reasons stay, however often it is looked at', () => {
    const aLook = fc.record({
      after: fc.nat(200_000),
      verdict: fc.constantFrom(evictAt(now + 10_000), evictAt(now)),
      pod: fc.constantFrom(living, living, terminating, marked),
    });
    fc.assert(
      fc.property(fc.array(aLook, { maxLength: 12 }), (looks) => {
        let before: ShadowDecision | undefined;
        let ended = false;
        let at = now;
        const found: string[] = [];
        for (const { after, verdict, pod } of looks) {
          at += after;
          ended ||= pod !== living;
          const result = compareShadow({
            ...base,
            pod: ended ? { ...pod, deletionTimestamp: now } : pod,
            verdict,
            before,
            now: at,
          });
          if (result.found) found.push(result.found);
          before = result.decision;
        }
        expect(found.length).toBeLessThanOrEqual(1);
      }),
    );
  });
});
