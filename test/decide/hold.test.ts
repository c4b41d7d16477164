// What holds a rule: pauses that stack, an expiry in the past, an expiry that cannot be read.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expiryOf, holdOf } from '../../lib/decide/hold.ts';
import { rateOf } from '../../lib/decide/rate.ts';
import { rule, t0 } from '../support/builders.ts';

const at = new Date(t0).toISOString();
const later = new Date(t0 + 1000).toISOString();

describe('the hold of a rule', () => {
  it.each<[string, Record<string, string>, string | undefined]>([
    ['no annotation does not', {}, undefined],
    ['another annotation of Sluice does not', { 'sluice.dev/burst': '5' }, undefined],
    ['sluice.dev/paused with true does', { 'sluice.dev/paused': 'true' }, 'Paused by sluice.dev/paused.'],
    ['sluice.dev/paused without a value does', { 'sluice.dev/paused': '' }, 'Paused by sluice.dev/paused.'],
    ['sluice.dev/paused with an unknown value does', { 'sluice.dev/paused': 'nope' }, 'Paused by sluice.dev/paused.'],
    ['sluice.dev/paused with false does not', { 'sluice.dev/paused': 'false' }, undefined],
    [
      'two named pauses do and are both named',
      { 'pause.sluice.dev/night': '', 'pause.sluice.dev/audit': 'until Monday' },
      'Paused by audit (until Monday); night.',
    ],
    [
      'one of two pauses does when the other ended',
      { 'sluice.dev/paused': 'false', 'pause.sluice.dev/night': 'x' },
      'Paused by night (x).',
    ],
    ['an expiry ahead does not', { 'sluice.dev/expires-at': later }, undefined],
    [
      'an expiry at this instant does',
      { 'sluice.dev/expires-at': at },
      `Expired at ${at}: no pod is evicted any more.`,
    ],
    [
      'a pause and an expiry do, and the pause is named because it can be removed',
      { 'sluice.dev/paused': 'true', 'sluice.dev/expires-at': at },
      'Paused by sluice.dev/paused.',
    ],
  ])('a pause or an expiry among the annotations holds a rule: %s', (_, annotations, message) => {
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
  ])('a rule whose expiry is `%s`, which is not an RFC 3339 time, is held and names the text', (text) => {
    const annotations = { 'sluice.dev/expires-at': text };
    expect(holdOf(rule({ annotations }), t0)).toMatchObject({ reason: 'ExpiryUnreadable' });
    expect(holdOf(rule({ annotations }), t0)?.message).toContain(`"${text}"`);
    expect(expiryOf(rule({ annotations }))).toBeUndefined();
  });

  it.each(['2027-01-15T09:00:00+01:00', '2027-01-15T08:00:00Z', '2027-01-15T08:00:00.000Z'])(
    'the expiry %s is read as the same instant',
    (text) => {
      expect(expiryOf(rule({ annotations: { 'sluice.dev/expires-at': text } }))).toBe(Date.UTC(2027, 0, 15, 8));
    },
  );
});

it('a rule without the annotation sluice.dev/expires-at has no expiry', () => {
  expect(expiryOf(rule())).toBeUndefined();
  expect(expiryOf(rule({ annotations: { 'sluice.dev/burst': '5' } }))).toBeUndefined();
});

describe('a hold under any annotations', () => {
  const annotations = fc.dictionary(
    fc.constantFrom('sluice.dev/paused', 'pause.sluice.dev/a', 'pause.sluice.dev/b', 'sluice.dev/expires-at'),
    fc.oneof(fc.string(), fc.constantFrom('true', 'false', at, later)),
  );

  it('any annotations give no hold or a hold with a known message, without an exception', () => {
    fc.assert(
      fc.property(annotations, (some) => {
        const hold = holdOf(rule({ annotations: some }), t0);
        expect(hold?.message ?? 'Paused by none.').toMatch(
          /^(Paused by .+|Expired at .+|sluice.dev\/expires-at is .+)\.$/s,
        );
      }),
    );
  });

  it('a rule with a named pause is paused, whatever its other annotations are', () => {
    fc.assert(
      fc.property(annotations, fc.string(), (some, why) => {
        expect(holdOf(rule({ annotations: { ...some, 'pause.sluice.dev/more': why } }), t0)?.reason).toBe('Paused');
      }),
    );
  });

  it('an expired rule stays expired from then on', () => {
    fc.assert(
      fc.property(fc.nat(), (milliseconds) => {
        const expired = rule({ annotations: { 'sluice.dev/expires-at': at } });
        expect(holdOf(expired, t0 + milliseconds)?.reason).toBe('Expired');
      }),
    );
  });
});
