// What holds a rule: pauses that stack, an expiry that has passed, an expiry that cannot be read.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expiryOf, holdOf } from '../../lib/decide/hold.ts';
import { rateOf } from '../../lib/decide/rate.ts';
import { rule, t0 } from '../support/builders.ts';

const at = new Date(t0).toISOString();
const later = new Date(t0 + 1000).toISOString();

describe('a rule', () => {
  it.each<[string, Record<string, string>, string | undefined]>([
    ['without annotations continues', {}, undefined],
    ['with others of ours continues', { 'sluice.dev/burst': '5' }, undefined],
    ['paused evicts no pod', { 'sluice.dev/paused': 'true' }, 'Paused by sluice.dev/paused.'],
    ['paused without a word evicts no pod', { 'sluice.dev/paused': '' }, 'Paused by sluice.dev/paused.'],
    [
      'paused by what cannot be understood evicts no pod',
      { 'sluice.dev/paused': 'nope' },
      'Paused by sluice.dev/paused.',
    ],
    ['with `false` continues', { 'sluice.dev/paused': 'false' }, undefined],
    [
      'with two named pauses evicts no pod, and both are named',
      { 'pause.sluice.dev/night': '', 'pause.sluice.dev/audit': 'until Monday' },
      'Paused by audit (until Monday); night.',
    ],
    [
      'with one of two pauses left still evicts no pod',
      { 'sluice.dev/paused': 'false', 'pause.sluice.dev/night': 'x' },
      'Paused by night (x).',
    ],
    ['that expires later continues', { 'sluice.dev/expires-at': later }, undefined],
    [
      'that expires now evicts no pod',
      { 'sluice.dev/expires-at': at },
      `Expired at ${at}: no pod is evicted any more.`,
    ],
    [
      'paused and expired is paused, for that can be ended',
      { 'sluice.dev/paused': 'true', 'sluice.dev/expires-at': at },
      'Paused by sluice.dev/paused.',
    ],
  ])('the annotations of a rule say whether it is held: %s', (_, annotations, message) => {
    expect(holdOf(rule({ annotations }), t0)?.message).toBe(message);
    const rate = rateOf('rule|rule-uid', { rules: [rule({ annotations })] }, t0);
    if (message === undefined) expect(rate.perSecond).toBe(10);
    else expect(rate).toEqual({ perSecond: 0, burst: 0 });
  });

  it.each([
    '',
    'tomorrow',
    '2030-01-01',
    '2030-01-01T00:00:00',
    '1893456000',
    '2030-13-01T00:00:00Z',
    '2026-11-31T00:00:00Z',
    '2027-02-29T00:00:00Z',
    '2030-01-01T24:00:00Z',
    '2030-01-01T00:00:00+24:00',
    '2030-01-01 00:00:00Z',
    '+002030-01-01T00:00:00Z',
    '2030-01-01T00:00:00Z (noon)',
  ])('whose expiry is `%s`, which is no RFC 3339 time, evicts no pod and says so', (text) => {
    const annotations = { 'sluice.dev/expires-at': text };
    expect(holdOf(rule({ annotations }), t0)).toMatchObject({ reason: 'ExpiryUnreadable' });
    expect(holdOf(rule({ annotations }), t0)?.message).toContain(`"${text}"`);
    expect(expiryOf(rule({ annotations }))).toBeUndefined();
  });

  it.each(['2027-01-15T09:00:00+01:00', '2027-01-15T08:00:00Z', '2027-01-15T08:00:00.000Z'])(
    '%s is one moment',
    (text) => {
      expect(expiryOf(rule({ annotations: { 'sluice.dev/expires-at': text } }))).toBe(Date.UTC(2027, 0, 15, 8));
    },
  );
});

it('a rule without an expiry has none', () => {
  expect(expiryOf(rule())).toBeUndefined();
  expect(expiryOf(rule({ annotations: { 'sluice.dev/burst': '5' } }))).toBeUndefined();
});

describe('laws of holding', () => {
  const annotations = fc.dictionary(
    fc.constantFrom('sluice.dev/paused', 'pause.sluice.dev/a', 'pause.sluice.dev/b', 'sluice.dev/expires-at'),
    fc.oneof(fc.string(), fc.constantFrom('true', 'false', at, later)),
  );

  it('no annotation makes it throw, and each reason has its sentence', () => {
    fc.assert(
      fc.property(annotations, (some) => {
        const hold = holdOf(rule({ annotations: some }), t0);
        expect(hold?.message ?? 'Paused by none.').toMatch(
          /^(Paused by .+|Expired at .+|sluice.dev\/expires-at is .+)\.$/s,
        );
      }),
    );
  });

  it('one more pause never sets a rule going', () => {
    fc.assert(
      fc.property(annotations, fc.string(), (some, why) => {
        expect(holdOf(rule({ annotations: { ...some, 'pause.sluice.dev/more': why } }), t0)?.reason).toBe('Paused');
      }),
    );
  });

  it('an expired rule stays expired', () => {
    fc.assert(
      fc.property(fc.nat(), (milliseconds) => {
        const expired = rule({ annotations: { 'sluice.dev/expires-at': at } });
        expect(holdOf(expired, t0 + milliseconds)?.reason).toBe('Expired');
      }),
    );
  });
});
