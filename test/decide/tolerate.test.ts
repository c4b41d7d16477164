// Tolerations: which taints they match, and until when.
import { describe, expect, it } from 'vitest';
import { toleratedUntil, tolerates } from '../../lib/decide/tolerate.ts';
import type { DeviceTaint, DeviceToleration } from '../../lib/model/objects.ts';
import { farFuture } from '../../lib/model/time.ts';
import { atSecond, t0, taint, toleration } from '../support/builders.ts';

const upstream = { emptyEffectTolerates: false };
const exists = toleration({ operator: 'Exists' });

describe('the match of a toleration', () => {
  const cases: readonly [name: string, DeviceToleration, Partial<DeviceTaint>, boolean][] = [
    ['an empty toleration has no key and an empty value', {}, { value: '' }, true],
    ['a taint without value has the empty value', { value: '' }, { key: 'k' }, true],
    ['an empty operator means Equal', { operator: '', value: 'x' }, { value: 'x' }, true],
    ['an empty operator compares the value', { operator: '', value: 'x' }, { value: 'y' }, false],
    [
      'an empty key with Equal matches every taint of that value',
      { operator: 'Equal', value: 'x' },
      { value: 'x' },
      true,
    ],
    ['another key', { key: 'other', operator: 'Exists' }, {}, false],
    ['another effect', { operator: 'Exists', effect: 'NoSchedule' }, {}, false],
    ['Lt is not an operator here', { operator: 'Lt' }, {}, false],
    ['operators are case-sensitive', { operator: 'exists' }, {}, false],
  ];
  it.each(cases)('a toleration matches a taint: %s: %j and a taint with %j: %s', (_, one, overrides, matched) => {
    const { value, ...rest } = taint();
    expect(tolerates(one, { ...rest, ...overrides })).toBe(matched);
  });
});

describe('the end of a toleration', () => {
  const cases: readonly [name: string, DeviceTaint, readonly DeviceToleration[], number][] = [
    ['it was added when there is no toleration', taint(), [], t0],
    ['it was added when the toleration has another effect', taint(), [toleration({ effect: 'NoSchedule' })], t0],
    ['it was added when the toleration has an empty effect', taint(), [toleration({ effect: '' })], t0],
    ['the seconds of the toleration have passed', taint(), [toleration({ tolerationSeconds: 60 })], atSecond(60)],
    [
      'the smallest seconds of the matching tolerations have passed',
      taint(),
      [60, 30, 45].map((tolerationSeconds) => toleration({ tolerationSeconds })),
      atSecond(30),
    ],
    [
      'the seconds of the matching toleration have passed, not those of another',
      taint(),
      [toleration({ tolerationSeconds: 60 }), toleration({ key: 'other', tolerationSeconds: 1 })],
      atSecond(60),
    ],
    ['it was added when the seconds are negative', taint(), [toleration({ tolerationSeconds: -60 })], t0],
    ['it was added when that is ahead', taint({ timeAdded: atSecond(300) }), [], atSecond(300)],
    ['the largest date when the seconds exceed it', taint(), [toleration({ tolerationSeconds: 2 ** 53 })], farFuture],
  ];
  it.each(cases)('a taint is tolerated until %s', (_, one, tolerations, at) => {
    expect(toleratedUntil(one, tolerations, upstream)).toEqual({ kind: 'Until', at });
  });

  it('a taint is tolerated forever when one matching toleration has no seconds, in any order', () => {
    const finite = toleration({ tolerationSeconds: 5 });
    expect(toleratedUntil(taint(), [exists, finite], upstream)).toEqual({ kind: 'Forever' });
    expect(toleratedUntil(taint(), [finite, exists], upstream)).toEqual({ kind: 'Forever' });
  });

  it('a taint without a time is tolerated forever by a toleration without seconds', () => {
    expect(toleratedUntil({ key: 'example.com/taint', effect: 'NoExecute' }, [exists], upstream)).toEqual({
      kind: 'Forever',
    });
  });

  it('a toleration matches with an empty effect, and with no other, when emptyEffectTolerates is set', () => {
    const setting = { emptyEffectTolerates: true };
    expect(toleratedUntil(taint(), [toleration({ effect: '' })], setting)).toEqual({ kind: 'Forever' });
    expect(toleratedUntil(taint(), [toleration({ effect: 'None' })], setting)).toEqual({ kind: 'Until', at: t0 });
  });

  it('the end of a toleration is Unknown when the taint has no timeAdded', () => {
    expect(toleratedUntil({ key: 'k', effect: 'NoExecute' }, [], upstream)).toEqual({
      kind: 'Unknown',
      why: 'taint k has no timeAdded',
    });
  });

  it('the end of a toleration is Unknown when the table stored the time as null', () => {
    const kept: DeviceTaint = JSON.parse(JSON.stringify(taint({ timeAdded: Number.NaN })));
    expect(toleratedUntil(kept, [], upstream).kind).toBe('Unknown');
  });

  it.each([
    ['a time that is not a number', taint({ timeAdded: Number.NaN }), [toleration({ tolerationSeconds: 1 })]],
    [
      'seconds that the table stored as null',
      taint(),
      JSON.parse('[{"effect":"NoExecute","operator":"Exists","tolerationSeconds":null}]'),
    ],
    ['seconds that are not a number', taint(), [toleration({ tolerationSeconds: Number.NaN })]],
  ])('the end of a toleration is Unknown with %s', (_, one, tolerations) => {
    expect(toleratedUntil(one, tolerations, upstream)).toEqual({
      kind: 'Unknown',
      why: 'taint example.com/taint has no valid time',
    });
  });
});
