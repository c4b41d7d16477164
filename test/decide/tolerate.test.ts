// Tolerations: the match, and the time they give.
import { describe, expect, it } from 'vitest';
import { toleratedUntil, tolerates } from '../../lib/decide/tolerate.ts';
import type { DeviceTaint, DeviceToleration } from '../../lib/model/objects.ts';
import { farFuture } from '../../lib/model/time.ts';
import { atSecond, t0, taint, toleration } from '../support/builders.ts';

const upstream = { emptyEffectTolerates: false };
const exists = toleration({ operator: 'Exists' });

describe('a toleration matches a taint', () => {
  const cases: readonly [name: string, DeviceToleration, Partial<DeviceTaint>, boolean][] = [
    ['an empty one has no value and no key', {}, { value: '' }, true],
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
  it.each(cases)('%s: %j and a taint with %j match: %s', (_, one, overrides, matched) => {
    const { value, ...rest } = taint();
    expect(tolerates(one, { ...rest, ...overrides })).toBe(matched);
  });
});

describe('a taint is tolerated until', () => {
  const cases: readonly [name: string, DeviceTaint, readonly DeviceToleration[], number][] = [
    ['it was added, without a toleration', taint(), [], t0],
    ['it was added, under a toleration of another effect', taint(), [toleration({ effect: 'NoSchedule' })], t0],
    ['it was added, under a toleration of any effect', taint(), [toleration({ effect: '' })], t0],
    ['the seconds after it was added', taint(), [toleration({ tolerationSeconds: 60 })], atSecond(60)],
    [
      'the smallest seconds of those that match',
      taint(),
      [60, 30, 45].map((tolerationSeconds) => toleration({ tolerationSeconds })),
      atSecond(30),
    ],
    [
      'seconds of a toleration that does not match do not count',
      taint(),
      [toleration({ tolerationSeconds: 60 }), toleration({ key: 'other', tolerationSeconds: 1 })],
      atSecond(60),
    ],
    ['negative seconds count as none', taint(), [toleration({ tolerationSeconds: -60 })], t0],
    ['a time ahead', taint({ timeAdded: atSecond(300) }), [], atSecond(300)],
    ['the end of time, for seconds beyond it', taint(), [toleration({ tolerationSeconds: 2 ** 53 })], farFuture],
  ];
  it.each(cases)('%s', (_, one, tolerations, at) => {
    expect(toleratedUntil(one, tolerations, upstream)).toEqual({ kind: 'Until', at });
  });

  it('forever, where one match has no seconds, whatever the others say and in any order', () => {
    const finite = toleration({ tolerationSeconds: 5 });
    expect(toleratedUntil(taint(), [exists, finite], upstream)).toEqual({ kind: 'Forever' });
    expect(toleratedUntil(taint(), [finite, exists], upstream)).toEqual({ kind: 'Forever' });
  });

  it('forever, even where the taint has no time', () => {
    expect(toleratedUntil({ key: 'example.com/taint', effect: 'NoExecute' }, [exists], upstream)).toEqual({
      kind: 'Forever',
    });
  });

  it('any effect, where the setting says so and only for an empty effect', () => {
    const setting = { emptyEffectTolerates: true };
    expect(toleratedUntil(taint(), [toleration({ effect: '' })], setting)).toEqual({ kind: 'Forever' });
    expect(toleratedUntil(taint(), [toleration({ effect: 'None' })], setting)).toEqual({ kind: 'Until', at: t0 });
  });

  it('it is unknown when, without a time at which the taint was added', () => {
    expect(toleratedUntil({ key: 'k', effect: 'NoExecute' }, [], upstream)).toEqual({
      kind: 'Unknown',
      why: 'taint k has no timeAdded',
    });
  });

  it('it is unknown when, with a time that a table kept as null', () => {
    const kept: DeviceTaint = JSON.parse(JSON.stringify(taint({ timeAdded: Number.NaN })));
    expect(toleratedUntil(kept, [], upstream).kind).toBe('Unknown');
  });

  it.each([
    ['a time that is none', taint({ timeAdded: Number.NaN }), [toleration({ tolerationSeconds: 1 })]],
    [
      'seconds that a table kept as null',
      taint(),
      JSON.parse('[{"effect":"NoExecute","operator":"Exists","tolerationSeconds":null}]'),
    ],
    ['seconds that are none', taint(), [toleration({ tolerationSeconds: Number.NaN })]],
  ])('it is unknown when, with %s', (_, one, tolerations) => {
    expect(toleratedUntil(one, tolerations, upstream)).toEqual({
      kind: 'Unknown',
      why: 'taint example.com/taint has no valid time',
    });
  });
});
