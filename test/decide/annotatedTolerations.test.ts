// The annotation that stands in for tolerations where an API server drops them.
import { describe, expect, it } from 'vitest';
import {
  freezeTolerations,
  parseTolerations,
  tolerationProblems,
  tolerationsAnnotation,
  tolerationsOf,
} from '../../lib/decide/annotatedTolerations.ts';
import type { ResourceClaim } from '../../lib/model/objects.ts';
import { allocated, claim, result, toleration, unallocated } from '../support/builders.ts';

const exists = { operator: 'Exists', effect: 'NoExecute' };
const frozen = (byRequest: unknown, ...devices: ReturnType<typeof result>[]): ResourceClaim =>
  claim({ ...allocated(...devices), frozenTolerations: JSON.stringify(byRequest) });
const annotated = (text: string, of: ResourceClaim): ResourceClaim => ({
  ...of,
  annotations: { ...of.annotations, [tolerationsAnnotation]: text },
});

describe('tolerations of a result', () => {
  const device = result({ request: 'gpu', tolerations: [] });
  const sub = result({ request: 'gpu/large', tolerations: [] });
  const native = toleration({ key: 'native' });

  it.each([
    ['are those of its request', frozen({ gpu: [exists] }, device), device, [exists]],
    ['of an alternative are those of the request', frozen({ gpu: [exists] }, sub), sub, [exists]],
    [
      'of an alternative are its own, too',
      frozen({ gpu: [exists], 'gpu/large': [{ key: 'x' }] }, sub),
      sub,
      [exists, { key: 'x' }],
    ],
    [
      'are not those of another alternative',
      frozen({ 'gpu/small': [exists] }, sub, result({ request: 'gpu/small' })),
      sub,
      [],
    ],
    [
      'are not those of a request whose name begins alike',
      frozen({ gp: [exists] }, device, result({ request: 'gp' })),
      device,
      [],
    ],
    ['are none without the annotation', claim(allocated(device)), device, []],
    [
      "are the API's alone where it has one",
      frozen({ gpu: [exists] }, device),
      { ...device, tolerations: [native] },
      [native],
    ],
    ['are none where the annotation is ignored', frozen({ other: [exists] }, device), device, []],
  ])('a result has the tolerations of its annotation and of its claim: %s', (_, of, one, wanted) => {
    expect(tolerationsOf(one, of)).toEqual(wanted);
  });
});

describe('an annotation', () => {
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
  ])('%s is ignored as a whole, and says why', (text, why) => {
    const found = parseTolerations(text, of);
    const form = '{"<request>":[{"key":"…","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}]}';
    expect(found).toEqual({
      kind: 'Malformed',
      why: `annotation sluice.dev/tolerations ${why} and is ignored; expected ${form}`,
    });
    expect(tolerationProblems({ ...annotated(text, of), frozenTolerations: text })).toEqual([
      { reason: 'TolerationsIgnored', why: found.kind === 'Malformed' ? found.why : '' },
    ]);
  });

  it('with sixteen tolerations, with seconds, and with none at all is taken', () => {
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

  it('of a claim that is not allocated says nothing yet', () => {
    expect(tolerationProblems(annotated('{', unallocated(claim())))).toEqual([]);
  });
});

describe('what counts of an annotation', () => {
  const text = JSON.stringify({ gpu: [exists] });
  const bare = annotated(text, unallocated(claim()));
  const now = annotated(text, claim(allocated(result({ request: 'gpu' }))));

  it('is what it said when the allocation was first seen', () => {
    expect(freezeTolerations(bare, undefined)).toEqual(bare);
    const first = freezeTolerations(now, bare);
    expect(first.frozenTolerations).toBe(text);
    const edited = freezeTolerations(annotated('{}', now), first);
    expect(edited.frozenTolerations).toBe(text);
    expect(tolerationProblems(edited).map(({ why }) => why)).toEqual([
      'annotation sluice.dev/tolerations was changed after the allocation, which is ignored: what it said then counts',
    ]);
    expect(tolerationProblems(first)).toEqual([]);
  });

  it('is nothing where it was added after the allocation', () => {
    const without = claim(allocated(result({ request: 'gpu' })));
    const late = freezeTolerations(now, freezeTolerations(without, undefined));
    expect(late).not.toHaveProperty('frozenTolerations');
    expect(tolerationProblems(late)).toHaveLength(1);
    expect(tolerationProblems(without)).toEqual([]);
  });

  it('is read again for another allocation and for another claim of the name', () => {
    const first = freezeTolerations(now, undefined);
    const other = annotated('{}', claim(allocated(result({ request: 'gpu', device: 'other' }))));
    expect(freezeTolerations(other, first).frozenTolerations).toBe('{}');
    expect(freezeTolerations({ ...annotated('{}', now), uid: 'another' }, first).frozenTolerations).toBe('{}');
  });
});
