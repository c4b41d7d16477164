// A pod that depends on an unknown object is kept, with the reason.
import { describe, expect, it } from 'vitest';
import { unknownTo } from '../../lib/decide/unknown.ts';
import type { UnknownObjects } from '../../lib/model/unknown.ts';
import { allocated, claim, driver, pod, pool, result, unallocated } from '../support/builders.ts';

const nothing: UnknownObjects = { pods: new Map(), claims: new Map(), pools: new Map() };
const held = claim(allocated(result({ pool: 'other' }), result()));
const claims = new Map([['default/claim', held]]);
const why = (unknown: UnknownObjects | undefined, of = pod(), known = claims) =>
  unknownTo(of, { claims: known, ...(unknown ? { unknown } : {}) });

describe('what a pod depends on', () => {
  it.each<[string, Partial<UnknownObjects>, string | undefined]>([
    ['is known when nothing is unknown', {}, undefined],
    ['is unknown when its claim is', { claims: new Map([['default/claim', 'claim']]) }, 'claim'],
    ['is known when only another claim is unknown', { claims: new Map([['default/x', 'claim']]) }, undefined],
    ['is unknown when the pool of any of its devices is', { pools: new Map([[`${driver}|${pool}`, 'pool']]) }, 'pool'],
    ['is known when only another pool is unknown', { pools: new Map([[`${driver}|x`, 'pool']]) }, undefined],
    ['is unknown when the pod itself is', { pods: new Map([['default/pod', 'pod']]) }, 'pod'],
    ['is known when only another pod is unknown', { pods: new Map([['default/x', 'pod']]) }, undefined],
    ['is unknown when everything is', { all: 'all' }, 'all'],
    [
      'is unknown with the reason of the pod when everything is, too',
      { all: 'all', pods: new Map([['default/pod', 'pod']]) },
      'pod',
    ],
  ])('what a pod depends on %s', (_, unknown, said) => {
    expect(why({ ...nothing, ...unknown }, pod({ name: 'pod' }))).toBe(said);
  });

  it('a pod depends on nothing unknown when the cluster has no unknown objects', () => {
    expect(why(undefined)).toBeUndefined();
  });

  it('a pod that refers to no claim depends on nothing unknown, whatever is unknown', () => {
    const unknown = { ...nothing, all: 'all', pods: new Map([['default/pod', 'pod']]) };
    expect(why(unknown, pod({ name: 'pod', resourceClaims: [] }))).toBeUndefined();
  });

  it.each([
    ['that does not exist', new Map()],
    ['that has no allocation', new Map([['default/claim', unallocated(claim())]])],
  ])('a pod with a claim %s does not depend on an unknown pool', (_, known) => {
    expect(why({ ...nothing, pools: new Map([[`${driver}|${pool}`, 'pool']]) }, pod(), known)).toBeUndefined();
  });
});
