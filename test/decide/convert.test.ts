// Conversion of rules between both kinds: nothing is lost silently, and what the other kind cannot express is refused.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { convertRule } from '../../lib/decide/convert.ts';

const native = (spec: object, annotations?: object) => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'DeviceTaintRule',
  metadata: { name: 'r', ...(annotations ? { annotations } : {}) },
  spec,
});
const paced = (spec: object, metadata: object = {}) => ({
  apiVersion: 'sluice.dev/v1alpha1',
  kind: 'PacedTaintRule',
  metadata: { name: 'r', ...metadata },
  spec,
});
const taint = { key: 'example.com/bad', effect: 'NoExecute' };
const manifestsOf = (manifest: unknown) => {
  const conversion = convertRule(manifest);
  return conversion.kind === 'Converted' ? conversion.manifests : [];
};

describe('a native rule', () => {
  it.each([
    [native({ taint }), paced({ taints: [taint] })],
    [native({ deviceSelector: {}, taint }), paced({ deviceSelector: { all: true }, taints: [taint] })],
    [native({ deviceSelector: { driver: 'd' }, taint }), paced({ deviceSelector: { driver: 'd' }, taints: [taint] })],
    [
      native({ taint }, { 'sluice.dev/evictions-per-second': '0.5', 'sluice.dev/burst': '2', other: 'x' }),
      paced({ taints: [{ ...taint, evictionsPerSecond: 0.5, burst: 2 }] }, { annotations: { other: 'x' } }),
    ],
    [
      native({ taint }, { 'sluice.dev/paused': 'true', 'sluice.dev/expires-at': '2030-01-01T00:00:00Z' }),
      paced({ taints: [taint], paused: true, expiresAt: '2030-01-01T00:00:00Z' }),
    ],
    [native({ taint }, { 'sluice.dev/paused': 'false' }), paced({ taints: [taint] })],
  ])('a native rule is converted to a PacedTaintRule, case %#', (from, to) => {
    expect(manifestsOf(from)).toStrictEqual([to]);
  });

  it('a native rule that Sluice wrote for the scheduler is skipped', () => {
    const projected = native({ taint });
    const metadata = { name: 'r', labels: { 'sluice.dev/projected-from': 'uid' } };
    expect(convertRule({ ...projected, metadata })).toEqual({
      kind: 'Skipped',
      why: 'DeviceTaintRule r was written by Sluice for the scheduler',
    });
  });

  it('a converted rule keeps its labels and loses the fields that the API server added', () => {
    const stored = native({ taint });
    const metadata = { ...stored.metadata, uid: 'u', resourceVersion: '1', labels: { a: 'b' } };
    expect(manifestsOf({ ...stored, metadata, status: {} })).toEqual([
      paced({ taints: [taint] }, { labels: { a: 'b' } }),
    ]);
  });

  it('a native rule that is converted to a PacedTaintRule and back is unchanged', () => {
    const names = fc.record(
      { driver: fc.constant('d'), pool: fc.constant('p'), device: fc.constant('x') },
      { requiredKeys: [] },
    );
    const specs = fc.record(
      {
        deviceSelector: names,
        taint: fc.record(
          { key: fc.constant('k'), value: fc.constant('v'), effect: fc.constantFrom('None', 'NoExecute') },
          { requiredKeys: ['key', 'effect'] },
        ),
      },
      { requiredKeys: ['taint'] },
    );
    const annotations = fc.record(
      {
        'sluice.dev/evictions-per-second': fc.constantFrom('0', '0.5', '10'),
        'sluice.dev/burst': fc.constantFrom('1', '20'),
        'sluice.dev/paused': fc.constant('true'),
        'sluice.dev/expires-at': fc.constant('2030-01-01T00:00:00Z'),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(specs, annotations, (spec, written) => {
        const rule = native(spec, Object.keys(written).length > 0 ? written : undefined);
        const there = manifestsOf(rule);
        expect(there).toHaveLength(1);
        expect(manifestsOf(there[0])).toEqual([rule]);
      }),
    );
  });
});

describe('a PacedTaintRule', () => {
  it('a PacedTaintRule with a null selector is converted to a native rule without a selector', () => {
    expect(manifestsOf(paced({ deviceSelector: null, taints: [taint] }))).toStrictEqual([native({ taint })]);
  });

  it('a PacedTaintRule without spec.expiresAt keeps its expiry annotation', () => {
    const annotations = { 'sluice.dev/expires-at': '2030-01-01T00:00:00Z' };
    expect(manifestsOf(paced({ taints: [taint] }, { annotations }))).toStrictEqual([native({ taint }, annotations)]);
  });

  it('a PacedTaintRule with a long name and two taints is converted to cut names with numbers', () => {
    const long = paced({ taints: [taint, { ...taint, key: 'y' }] }, { name: 'n'.repeat(253) });
    expect(manifestsOf(long)).toMatchObject([{ metadata: { name: `${'n'.repeat(250)}-0` } }, {}]);
  });

  it('a PacedTaintRule with several taints is converted to several native rules of the requested version', () => {
    const conversion = convertRule(
      paced({ taints: [taint, { ...taint, key: 'y', data: {}, description: 'd' }] }),
      'v1beta2',
    );
    expect(conversion).toMatchObject({
      kind: 'Converted',
      manifests: [
        { apiVersion: 'resource.k8s.io/v1beta2', metadata: { name: 'r-0' }, spec: { taint } },
        { metadata: { name: 'r-1' }, spec: { taint: { key: 'y', effect: 'NoExecute' } } },
      ],
      lost: [
        'PacedTaintRule r: spec.taints[1].data has no place in a DeviceTaintRule',
        'PacedTaintRule r: spec.taints[1].description has no place in a DeviceTaintRule',
      ],
    });
  });

  it.each<[string, object, unknown, string | undefined]>([
    ['the recorded time is copied', {}, [{ ...taint, timeAdded: 'then' }], 'then'],
    ['a time in the spec takes precedence', { timeAdded: 'now' }, [{ ...taint, timeAdded: 'then' }], 'now'],
    ['the time of another key is not copied', {}, [{ ...taint, key: 'y', timeAdded: 'then' }], undefined],
    ['the time of another effect is not copied', {}, [{ ...taint, effect: 'None', timeAdded: 'then' }], undefined],
    ['a status entry without a time adds none', {}, [taint], undefined],
    ['a status without a list of taints adds none', {}, 'none', undefined],
  ])('a converted taint has its timeAdded from the spec, else from the status: %s', (_, own, taints, timeAdded) => {
    const [rule] = manifestsOf({ ...paced({ taints: [{ ...taint, ...own }] }), status: { taints } });
    const expected = timeAdded === undefined ? taint : { ...taint, timeAdded };
    expect(rule).toStrictEqual(native({ taint: expected }));
  });

  it.each([
    [
      paced({ deviceSelector: { selectors: [], deviceClassName: 'c' }, taints: [taint] }),
      'PacedTaintRule r selects by selectors and deviceClassName, which a DeviceTaintRule cannot',
    ],
    [
      paced({ deviceSelector: { deviceTaints: [] }, taints: [taint] }),
      'PacedTaintRule r selects by deviceTaints, which a DeviceTaintRule cannot',
    ],
    [paced({ pods: {}, taints: [taint] }), 'PacedTaintRule r selects pods, which a DeviceTaintRule cannot'],
    [paced({ priority: 1, taints: [taint] }), 'PacedTaintRule r has a priority, which a DeviceTaintRule has not'],
    [paced({}), 'PacedTaintRule r has no taint'],
    [paced({ paused: 'true', taints: [taint] }), 'PacedTaintRule r: spec.paused is neither true nor false'],
    [
      paced({ expiresAt: '2030-01-01T00:00:00Z', taints: [taint] }, { annotations: { 'sluice.dev/expires-at': 'x' } }),
      'PacedTaintRule r expires by spec.expiresAt and by sluice.dev/expires-at: remove one of them',
    ],
    [
      native({ taint }, { 'sluice.dev/expires-at': 'tomorrow', 'sluice.dev/burst': 'many' }),
      'DeviceTaintRule r is held, because sluice.dev/expires-at is "tomorrow", which is not an RFC 3339 time: correct or remove it',
    ],
    [
      native({ taint }, { 'sluice.dev/burst': 'many' }),
      'DeviceTaintRule r is held, because sluice.dev/burst is "many", which is no whole number from 0 to 10000: correct or remove it',
    ],
    [{ kind: 'Pod', apiVersion: 'v1' }, 'Pod of v1 is neither a DeviceTaintRule nor a PacedTaintRule'],
    [
      { kind: 'PacedTaintRule', apiVersion: 'sluice.dev/v9' },
      'PacedTaintRule of sluice.dev/v9 is neither a DeviceTaintRule nor a PacedTaintRule',
    ],
    [
      { kind: 'DeviceTaintRule', apiVersion: 'x/v1' },
      'DeviceTaintRule of x/v1 is neither a DeviceTaintRule nor a PacedTaintRule',
    ],
    [
      { kind: 'Other', apiVersion: 'resource.k8s.io/v1' },
      'Other of resource.k8s.io/v1 is neither a DeviceTaintRule nor a PacedTaintRule',
    ],
    [
      { kind: 'Other', apiVersion: 'sluice.dev/v1alpha1' },
      'Other of sluice.dev/v1alpha1 is neither a DeviceTaintRule nor a PacedTaintRule',
    ],
    [null, 'something of no version is neither a DeviceTaintRule nor a PacedTaintRule'],
    [{ kind: 5, apiVersion: 7 }, 'something of no version is neither a DeviceTaintRule nor a PacedTaintRule'],
    [[], 'something of no version is neither a DeviceTaintRule nor a PacedTaintRule'],
  ])('a manifest that cannot be converted is refused with a reason, case %#', (manifest, why) => {
    expect(convertRule(manifest)).toEqual({ kind: 'Refused', why });
  });
});

it('a conversion without a loss reports no lost field', () => {
  expect(convertRule(native({ taint }))).toMatchObject({ lost: [] });
});
