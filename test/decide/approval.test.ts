// Which rules need an approval, what an approval is of, and how far it reaches.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { covers, digestOf, needsApproval } from '../../lib/decide/approval.ts';
import { defaultSettings, upstreamSettings } from '../../lib/model/snapshot.ts';
import { rule, taint } from '../support/builders.ts';

const offer = (pods: number, generation = 1) => ({ digest: 'd', generation, pods });

describe('a rule needs an approval', () => {
  it.each<[string, ReturnType<typeof rule>, boolean]>([
    ['if its selector is empty', rule({ deviceSelector: {} }), true],
    ['not if it names a driver', rule({ deviceSelector: { driver: 'd' } }), false],
    ['not if it names a pool', rule({ deviceSelector: { pool: 'p' } }), false],
    ['not if it names a device', rule({ deviceSelector: { device: 'd' } }), false],
    ['not if it evicts nobody', rule({ deviceSelector: {}, taint: taint({ effect: 'NoSchedule' }) }), false],
  ])('%s', (_, one, needed) => {
    expect(needsApproval(one, defaultSettings)).toBe(needed);
    expect(needsApproval(one, upstreamSettings)).toBe(false);
  });

  it('not without a selector, which reaches nobody', () => {
    const { deviceSelector: _, ...without } = rule();
    expect(needsApproval(without, defaultSettings)).toBe(false);
  });
});

describe('a digest', () => {
  it('is twelve hexadecimal digits of SHA-256 over rule, generation and sorted pods', () => {
    // printf 'rule-uid\n1\na\nb' | sha256sum
    expect(digestOf({ uid: 'rule-uid', generation: 1 }, ['b', 'a'])).toBe('3fa07d88c1a8');
  });

  it('depends on nothing but the set of pods, the rule and its generation', () => {
    const uids = fc.uniqueArray(fc.uuid(), { maxLength: 20 });
    fc.assert(
      fc.property(uids, fc.uuid(), (pods, other) => {
        const of = { uid: 'r', generation: 1 };
        expect(digestOf(of, pods.toReversed())).toBe(digestOf(of, pods));
        if (!pods.includes(other)) expect(digestOf(of, [...pods, other])).not.toBe(digestOf(of, pods));
        expect(digestOf({ uid: 'r', generation: 2 }, pods)).not.toBe(digestOf(of, pods));
        expect(digestOf({ uid: 's', generation: 1 }, pods)).not.toBe(digestOf(of, pods));
      }),
    );
  });
});

describe('an approval covers', () => {
  it.each([
    ['what was planned', offer(100), 100, true],
    ['less than was planned', offer(100), 3, true],
    ['a tenth more', offer(100), 110, true],
    ['no more than a tenth', offer(100), 111, false],
    ['nothing more where less than ten were planned', offer(9), 10, false],
    ['nobody where nobody was planned', offer(0), 1, false],
    ['nothing of another generation', offer(100, 2), 100, false],
    ['nothing that was never shown', undefined, 0, false],
  ])('%s', (_, given, matched, covered) => {
    expect(covers(given, { generation: 1 }, matched)).toBe(covered);
  });
});
