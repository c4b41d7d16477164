// The annotation sluice.dev/tolerations, which replaces tolerations that an API server drops.
import { describe, expect, it } from 'vitest';
import {
  parseTolerations,
  tolerationProblems,
  tolerationsAnnotation,
  tolerationsOf,
  unreadTolerations,
} from '../../lib/decide/annotatedTolerations.ts';
import type { ResourceClaim } from '../../lib/model/objects.ts';
import { allocated, claim, result, toleration, unallocated } from '../support/builders.ts';

const exists = { operator: 'Exists', effect: 'NoExecute' };
const annotated = (text: string, of: ResourceClaim): ResourceClaim => ({
  ...of,
  annotations: { ...of.annotations, [tolerationsAnnotation]: text },
});
const withTolerations = (byRequest: unknown, ...devices: ReturnType<typeof result>[]): ResourceClaim =>
  annotated(JSON.stringify(byRequest), claim(allocated(...devices)));

describe('the tolerations of an allocation result', () => {
  const device = result({ request: 'gpu', tolerations: [] });
  const sub = result({ request: 'gpu/large', tolerations: [] });
  const native = toleration({ key: 'native' });

  it.each([
    ['are those that the annotation gives its request', withTolerations({ gpu: [exists] }, device), device, [exists]],
    ['include those of the request for a subrequest', withTolerations({ gpu: [exists] }, sub), sub, [exists]],
    [
      'include those of the subrequest as well',
      withTolerations({ gpu: [exists], 'gpu/large': [{ key: 'x' }] }, sub),
      sub,
      [exists, { key: 'x' }],
    ],
    [
      'exclude those of another subrequest',
      withTolerations({ 'gpu/small': [exists] }, sub, result({ request: 'gpu/small' })),
      sub,
      [],
    ],
    [
      'exclude those of a request whose name is a prefix',
      withTolerations({ gp: [exists] }, device, result({ request: 'gp' })),
      device,
      [],
    ],
    ['are empty without the annotation', claim(allocated(device)), device, []],
    [
      'are only those of the API when the result has some',
      withTolerations({ gpu: [exists] }, device),
      { ...device, tolerations: [native] },
      [native],
    ],
    ['are empty when the annotation cannot be read', withTolerations({ other: [exists] }, device), device, []],
  ])('the tolerations of an allocation result %s', (_, of, one, wanted) => {
    expect(tolerationsOf(one, of)).toEqual(wanted);
  });
});

describe('the annotation sluice.dev/tolerations', () => {
  const of = claim(allocated(result({ request: 'gpu' })));
  it.each([
    ['{', 'is not a JSON object'],
    ['[]', 'is not a JSON object'],
    ['null', 'is not a JSON object'],
    ['"x"', 'is not a JSON object'],
    ['{"cpu":[]}', 'names request "cpu", which the allocation does not have'],
    ['{"gpu":{}}', 'has no list for request "gpu"'],
    ['{"gpu":["x"]}', 'has something that is no toleration for request "gpu"'],
    ['{"gpu":[null]}', 'has something that is no toleration for request "gpu"'],
    ['{"gpu":[{"key":1}]}', 'has something that is no toleration for request "gpu"'],
    ['{"gpu":[{"tolerationSeconds":"5"}]}', 'has something that is no toleration for request "gpu"'],
    ['{"gpu":[{"key":"k","seconds":5}]}', 'has something that is no toleration for request "gpu"'],
    ['{"gpu":[{"key":"k"},"x"]}', 'has something that is no toleration for request "gpu"'],
    ['{"gpu":[{"seconds":5}]}', 'has something that is no toleration for request "gpu"'],
    [
      JSON.stringify({ gpu: Array.from({ length: 17 }, () => exists) }),
      'has 17 tolerations for request "gpu", more than 16',
    ],
  ])('a malformed annotation counts as unread as a whole, and its problem is named: %s', (text, why) => {
    const found = parseTolerations(text, of);
    const form = '{"<request>":[{"key":"…","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}]}';
    expect(found).toEqual({
      kind: 'Malformed',
      why: `annotation sluice.dev/tolerations ${why}, so the pods of its claim stay; expected ${form}`,
    });
    expect(tolerationProblems(annotated(text, of))).toEqual([
      { reason: 'TolerationsIgnored', why: found.kind === 'Malformed' ? found.why : '' },
    ]);
  });

  it('it is unknown what a result tolerates while the annotation of its claim cannot be read, unless the API says it', () => {
    const device = result({ request: 'gpu', tolerations: [] });
    const { tolerations: _, ...without } = device;
    const broken = annotated('{', claim(allocated(device)));
    expect(unreadTolerations(device, broken)).toContain('is not a JSON object');
    expect(unreadTolerations(without, broken)).toContain('is not a JSON object');
    expect(unreadTolerations({ ...device, tolerations: [toleration({ key: 'native' })] }, broken)).toBeUndefined();
    expect(unreadTolerations(device, annotated('{"gpu":[]}', of))).toBeUndefined();
    expect(unreadTolerations(device, of)).toBeUndefined();
  });

  it('an annotation with up to sixteen tolerations per request of the allocation is accepted', () => {
    const most = { gpu: Array.from({ length: 16 }, () => exists) };
    expect(parseTolerations(JSON.stringify(most), of)).toMatchObject({ kind: 'Tolerations' });
    expect(parseTolerations('{"gpu":[{"tolerationSeconds":-5}]}', of)).toMatchObject({ kind: 'Tolerations' });
    const whole = '{"gpu":[{"key":"k","operator":"Equal","value":"v","effect":"NoExecute"}]}';
    expect(parseTolerations(whole, of)).toMatchObject({ kind: 'Tolerations' });
    const two = claim(allocated(result({ request: 'cpu' }), result({ request: 'gpu' })));
    expect(parseTolerations(whole, two)).toMatchObject({ kind: 'Tolerations' });
    expect(parseTolerations(whole, unallocated(of))).toMatchObject({ kind: 'Malformed' });
    expect(parseTolerations(undefined, of)).toEqual({ kind: 'Absent' });
    expect(parseTolerations('{}', of)).toEqual({ kind: 'Tolerations', byRequest: new Map() });
  });

  it('an annotation of an unallocated claim has no problem yet, and neither has a valid one or none', () => {
    expect(tolerationProblems(annotated('{', unallocated(claim())))).toEqual([]);
    expect(tolerationProblems(annotated('{"gpu":[]}', of))).toEqual([]);
    expect(tolerationProblems(of)).toEqual([]);
  });
});
