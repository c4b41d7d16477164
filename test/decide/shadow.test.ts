// What shadow mode concludes about a pod: a decision to store, a difference, or nothing.
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
  ['a pod that is kept has no decision', {}, {}],
  ['an undecided pod has no decision', { verdict: { kind: 'Unknown', why: 'x' } }, {}],
  [
    'a decision is compared a minute after it is due',
    { verdict: evictAt(now + 5000) },
    { decision: decided(now + 5000, { check: now + 5000 + shadowSlack }) },
  ],
  [
    'a decision that was due long ago is compared a minute from now',
    { verdict: evictAt(now - 500_000) },
    { decision: decided(now - 500_000, { check: now + shadowSlack }) },
  ],
  [
    'another look does not postpone the comparison',
    { verdict: evictAt(now - 500_000), before: decided(now - 500_000, { check: now + 1 }) },
    { decision: decided(now - 500_000, { check: now + 1 }) },
  ],
  [
    'another due time postpones the comparison',
    { verdict: evictAt(now), before: decided(now - 500_000, { check: now + 1 }) },
    { decision: decided(now, { check: now + shadowSlack }) },
  ],
  [
    'a pod that still exists at the comparison is a difference',
    { verdict: evictAt(now - 90_000), before: decided(now - 90_000, { check: now }) },
    { decision: decided(now - 90_000, { found: 'NotDeleted' }), found: 'NotDeleted' },
  ],
  [
    'a difference is found once',
    { verdict: evictAt(now), before: decided(now - 90_000, { found: 'NotDeleted' }) },
    { decision: decided(now, { found: 'NotDeleted' }) },
  ],
  ['a decision is dropped with its last reason', { before: decided(now, { check: now }) }, {}],
  ['a found difference is dropped with its last reason', { before: decided(now, { found: 'NotDeleted' }) }, {}],
  [
    'a decision about an earlier pod of the same name is ignored',
    { verdict: evictAt(now), before: { ...decided(now, { check: now - 1 }), podUid: 'other' } },
    { decision: decided(now, { check: now + shadowSlack }) },
  ],
  [
    'a pod that the in-tree controller deleted as decided agrees',
    { pod: marked, before: decided(now - 1, { check: now + 1 }) },
    { decision: decided(now - 1, { endedAt: now, found: 'Agreed' }), found: 'Agreed' },
  ],
  [
    'a pod that the in-tree controller deleted agrees when the decision comes with the same look',
    { pod: marked, verdict: evictAt(now - 1) },
    { decision: decided(now - 1, { endedAt: now, found: 'Agreed' }), found: 'Agreed' },
  ],
  [
    'a deletion a minute early agrees',
    { pod: marked, verdict: evictAt(now + shadowSlack) },
    { decision: decided(now + shadowSlack, { endedAt: now, found: 'Agreed' }), found: 'Agreed' },
  ],
  [
    'a deletion more than a minute early is a difference',
    { pod: marked, verdict: evictAt(now + shadowSlack + 1) },
    { decision: decided(now + shadowSlack + 1, { endedAt: now, found: 'DeletedEarly' }), found: 'DeletedEarly' },
  ],
  [
    'an agreement is not found again',
    { pod: marked, verdict: evictAt(now), before: decided(now, { found: 'Agreed', endedAt: now - 1 }) },
    { decision: decided(now, { found: 'Agreed', endedAt: now - 1 }) },
  ],
  [
    'an agreement is kept after a late update of the pod',
    { before: decided(now, { found: 'Agreed', endedAt: now - 1 }) },
    { decision: decided(now, { found: 'Agreed', endedAt: now - 1 }) },
  ],
  [
    'a deletion after a difference is not found',
    { pod: marked, verdict: evictAt(now), before: decided(now, { found: 'NotDeleted' }) },
    { decision: decided(now, { found: 'NotDeleted' }) },
  ],
  [
    'a pod that was due and that another client deleted is a difference',
    { pod: terminating, before: decided(now, { check: now + 1 }) },
    { decision: decided(now, { endedAt: now, found: 'DeletedByOther' }), found: 'DeletedByOther' },
  ],
  [
    'a pod that was due and that is gone is a difference',
    { gone: true, before: decided(now, { check: now + 1 }) },
    { decision: decided(now, { endedAt: now, found: 'DeletedByOther' }), found: 'DeletedByOther' },
  ],
  [
    'a pod that was deleted before it was due has no decision',
    { pod: terminating, before: decided(now + 1, { check: now + 2 }) },
    {},
  ],
  [
    'a pod that Sluice deleted for taints that it owns has no decision',
    { pod: terminating, verdict: evictAt(now), isOwnDelete: true },
    {},
  ],
  ['a pod that was deleted without a decision has none', { pod: terminating }, {}],
  [
    'a pod that the in-tree controller deleted without a known reason is compared a minute later',
    { pod: marked },
    { decision: { podUid, because: [], endedAt: now, check: now + shadowSlack } },
  ],
  [
    'a pod that the in-tree controller deleted agrees when the reason arrives late',
    { pod: marked, verdict: evictAt(now), before: { podUid, because: [], endedAt: now - 5, check: now + 1 } },
    { decision: decided(now, { endedAt: now - 5, found: 'Agreed' }), found: 'Agreed' },
  ],
  [
    'a pod that the in-tree controller deleted is a difference when no reason arrives',
    { gone: true, pod: marked, before: { podUid, because: [], endedAt: now - shadowSlack, check: now } },
    { decision: { podUid, because: [], endedAt: now - shadowSlack, found: 'NotExpected' }, found: 'NotExpected' },
  ],
  [
    'a pod that the in-tree controller deleted is ignored when native taints are not watched',
    { pod: marked, watchesInTree: false },
    {},
  ],
];

describe('a look at a pod in shadow mode', () => {
  it.each(rows)('shadow mode compares decisions with deletions: %s', (_, look, expected) => {
    expect(compareShadow({ ...base, ...look })).toEqual(expected);
  });

  it('shadow mode stores at most three reasons of a decision', () => {
    const many: Verdict = { kind: 'EvictAt', at: now, because: ['a', 'b', 'c', 'd'].map(reason) };
    expect(compareShadow({ ...base, verdict: many }).decision?.because).toHaveLength(3);
    expect(compareShadow({ ...base, pod: marked, verdict: many }).decision?.because).toHaveLength(3);
  });

  it('shadow mode has at most one finding on a pod whose reasons stay, however often it looks', () => {
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
