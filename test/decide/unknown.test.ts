// A pod depends on something of which it is unknown what it says: then it stays, and says why.
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
    ['is known where nothing is unknown', {}, undefined],
    ['is unknown with its claim', { claims: new Map([['default/claim', 'claim']]) }, 'claim'],
    ['is known where the claim of another is unknown', { claims: new Map([['default/x', 'claim']]) }, undefined],
    ['is unknown with the pool of any of its devices', { pools: new Map([[`${driver}|${pool}`, 'pool']]) }, 'pool'],
    ['is known where another pool is unknown', { pools: new Map([[`${driver}|x`, 'pool']]) }, undefined],
    ['is unknown with the pod itself', { pods: new Map([['default/pod', 'pod']]) }, 'pod'],
    ['is known where another pod is unknown', { pods: new Map([['default/x', 'pod']]) }, undefined],
    ['is unknown where everything is', { all: 'all' }, 'all'],
    [
      'is unknown as the pod is before as everything is',
      { all: 'all', pods: new Map([['default/pod', 'pod']]) },
      'pod',
    ],
  ])('what a pod depends on %s', (_, unknown, said) => {
    expect(why({ ...nothing, ...unknown }, pod({ name: 'pod' }))).toBe(said);
  });

  it('is known where the cluster has nothing unknown', () => {
    expect(why(undefined)).toBeUndefined();
  });

  it('is known for a pod that refers to no claim, whatever is unknown', () => {
    const unknown = { ...nothing, all: 'all', pods: new Map([['default/pod', 'pod']]) };
    expect(why(unknown, pod({ name: 'pod', resourceClaims: [] }))).toBeUndefined();
  });

  it.each([
    ['that is not there', new Map()],
    ['that has no allocation', new Map([['default/claim', unallocated(claim())]])],
  ])('with a claim %s, is known as far as pools go', (_, known) => {
    expect(why({ ...nothing, pools: new Map([[`${driver}|${pool}`, 'pool']]) }, pod(), known)).toBeUndefined();
  });
});
