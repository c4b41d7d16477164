// What the definitions refuse is refused again when it is read, because an older definition may have let it in.
import { describe, expect, it } from 'vitest';
import { project } from '../../../lib/adapters/kubernetes/project.ts';
import type { ObjectKind } from '../../../lib/model/projection.ts';
import { type Refused, refused } from '../../fixtures/refused/index.ts';

/** Objects that are read although the definitions refuse them, and why none of them evicts a pod that should be kept. */
const harmless: Readonly<Record<string, string>> = {
  'device-taint-slice/long-description': 'no decision reads it',
  'device-taint-slice/negative-generation': 'no entry counts under such a generation',
  'device-taint-slice/negative-rate': 'evicts no pod',
  'device-taint-slice/thirty-three-entries': 'more entries than a page shows, each of them right',
  'device-taint-slice/unknown-effect': 'an unknown effect acts as None',
  'eviction-policy/bad-key': 'the pattern fits no key',
  'eviction-policy/cap-too-fine': 'holds its taints',
  'eviction-policy/cap-too-high': 'holds its taints',
  'eviction-policy/four-fields': 'windows that cannot be read hold their taints',
  'eviction-policy/negative-rate': 'holds its taints',
  'eviction-policy/no-burst': 'evicts no pod',
  'eviction-policy/no-limit': 'limits nothing',
  'eviction-policy/rate-above-cap': 'the cap counts',
  'eviction-policy/rate-too-fine': 'holds its taints',
  'eviction-policy/rate-too-high': 'holds its taints',
  'paced-taint-rule/bad-operator': 'fits no pod',
  'paced-taint-rule/expression-too-long': 'is refused where selectors are compiled',
  'paced-taint-rule/long-description': 'no decision reads it',
  'paced-taint-rule/missing-taints': 'puts nothing on any device',
  'paced-taint-rule/no-namespace': 'leaves no pod',
  'paced-taint-rule/no-taints': 'puts nothing on any device',
  'paced-taint-rule/negative-rate': 'evicts no pod',
  'paced-taint-rule/no-burst': 'evicts no pod',
  'paced-taint-rule/priority-too-high': 'replaces taints of other rules alone',
  'paced-taint-rule/rate-too-fine': 'evicts no pod',
  'paced-taint-rule/rate-too-high': 'evicts no pod',
  'paced-taint-rule/too-many-device-taints': 'each of them is looked for, as it would be in two rules',
  'paced-taint-rule/too-many-selectors': 'is refused where selectors are compiled',
  'paced-taint-rule/unknown-effect': 'an unknown effect acts as None',
  'paced-taint-rule/unknown-field': 'a field of a later version',
  'paced-taint-rule/values-missing': 'fits no pod',
};

const nameOf = ({ folder, name }: Refused) => `${folder}/${name}`;

describe('an object that the definitions refuse', () => {
  it.each(refused.map((row) => [nameOf(row), row.manifest] as const))(
    'an object that the definitions refuse is unreadable, unless it is harmless: %s',
    (name, manifest) => {
      const metadata = { ...manifest.metadata, uid: 'u', resourceVersion: '1', generation: 1 };
      const read = project(manifest.kind as ObjectKind, { ...manifest, metadata });
      expect({ name, kind: read.kind }).toEqual({ name, kind: name in harmless ? 'Projected' : 'Unreadable' });
    },
  );

  it('every harmless object is one that the definitions refuse', () => {
    const names = refused.map(nameOf);
    expect(Object.keys(harmless).filter((name) => !names.includes(name))).toEqual([]);
  });
});

describe('a PacedTaintRule that an older definition may have let in', () => {
  const rule = (spec: object) =>
    project('PacedTaintRule', {
      metadata: { name: 'r', uid: 'u', resourceVersion: '1', generation: 1 },
      spec: { taints: [{ key: 'example.com/t', effect: 'NoExecute' }], ...spec },
    });
  const taint = (of: object) => ({ taints: [{ key: 'example.com/t', effect: 'NoExecute', ...of }] });

  it.each([
    ['data of 10 KiB', taint({ data: 'x'.repeat(10_238) })],
    ['an empty value', taint({ value: '' })],
    ['a value as long as may be', taint({ value: 'v'.repeat(63) })],
    ['a key without a prefix', taint({ key: 'k' })],
    ['a key whose name ends like those of Kubernetes', taint({ key: 'kubernetes.io' })],
    ['a key under a prefix that looks like one of Kubernetes', taint({ key: 'notkubernetes.io/k' })],
    ['the same key with two effects', { taints: [taint({}).taints[0], taint({ effect: 'None' }).taints[0]] }],
    [
      'names at their limits',
      { deviceSelector: { driver: 'd'.repeat(63), pool: 'p'.repeat(253), device: 'x'.repeat(63) } },
    ],
  ])('a PacedTaintRule may have %s', (_, spec) => {
    expect(rule(spec).kind).toBe('Projected');
  });

  it.each([
    ['data is 10241 bytes of JSON, at most 10240 are allowed', taint({ data: 'x'.repeat(10_239) })],
    ['data is 10241 bytes of JSON, at most 10240 are allowed', taint({ data: { é: 'x'.repeat(10_232) } })],
    [`value "${'v'.repeat(64)}" is no label value`, taint({ value: 'v'.repeat(64) })],
    ['key "a/b/c" is no label name', taint({ key: 'a/b/c' })],
    ['key "/k" is no label name', taint({ key: '/k' })],
    [`key "${'p'.repeat(254)}/k" is no label name`, taint({ key: `${'p'.repeat(254)}/k` })],
    ['key "kubernetes.io/k" belongs to Kubernetes: use a prefix of your own', taint({ key: 'kubernetes.io/k' })],
    ['key "x.k8s.io/k" belongs to Kubernetes: use a prefix of your own', taint({ key: 'x.k8s.io/k' })],
    ['timeAdded "soon" is not an RFC 3339 time', taint({ timeAdded: 'soon' })],
    ['timeAdded "5" is not an RFC 3339 time', taint({ timeAdded: 5 })],
    [
      `driver "${'d'.repeat(64)}" is no DNS subdomain of at most 63 characters`,
      { deviceSelector: { driver: 'd'.repeat(64) } },
    ],
    [`pool "${'p'.repeat(254)}" is no name of a pool`, { deviceSelector: { pool: 'p'.repeat(254) } }],
    [`device "${'x'.repeat(64)}" is no DNS label`, { deviceSelector: { device: 'x'.repeat(64) } }],
    [
      'spec: taints are 17, at most 16 are allowed',
      { taints: Array.from({ length: 17 }, (_, i) => ({ key: `k${i}`, effect: 'None' })) },
    ],
    [
      'spec: taints has two of the same key and effect',
      { taints: [taint({}).taints[0], taint({ value: 'x' }).taints[0]] },
    ],
  ])('a PacedTaintRule that cannot be read says why: %s', (why, spec) => {
    expect(rule(spec)).toMatchObject({ kind: 'Unreadable', why: expect.stringContaining(why) });
  });
});
