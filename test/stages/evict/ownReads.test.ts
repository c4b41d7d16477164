// What the version of a list proves about a pod and its claims that are read after it.
import { describe, expect, it } from 'vitest';
import type { ListVersions } from '../../../lib/liveCluster.ts';
import type { ObjectKind } from '../../../lib/model/projection.ts';
import { type OwnReads, wereSameAt } from '../../../lib/stages/evict/ownReads.ts';
import { aClaim, aPod } from '../../support/objects.ts';

const versions = (of: Partial<Record<ObjectKind, string>>): ListVersions =>
  new Map(Object.entries(of) as [ObjectKind, string][]);

interface Versions {
  readonly own?: string;
  readonly claim?: string;
  readonly listed?: string;
}

/** A pod and its claim with the versions `own` and `claim`, read from lists of the version `listed`. */
function read({ own = '100', claim = own, listed = '300' }: Versions): OwnReads {
  const pod = { kind: 'There', object: { ...aPod('a'), resourceVersion: own }, listed } as const;
  const claims = new Map([
    ['default/a', { kind: 'There', object: { ...aClaim('a', 'gpu-0'), resourceVersion: claim }, listed } as const],
  ]);
  return { kind: 'Own', pod, claims, begun: 1, ended: 2 };
}

describe('versions of earlier lists', () => {
  it.each<[string, Partial<Record<ObjectKind, string>>, Versions?]>([
    ['since both are older than these lists', { Pod: '200', ResourceClaim: '200' }],
    ['since neither is newer than these lists', { Pod: '100', ResourceClaim: '100' }],
    ['since versions are compared as numbers', { Pod: '1000', ResourceClaim: '200' }, { own: '99', listed: '1000' }],
  ])('earlier lists prove that a pod and its claim were the same, %s', (_, known, own = {}) => {
    expect(wereSameAt(versions(known), read(own))).toBe(true);
  });

  it.each<[string, Partial<Record<ObjectKind, string>>, Versions?]>([
    ['when the pod is newer than the list of pods', { Pod: '99', ResourceClaim: '200' }],
    ['when the claim is newer than the list of claims', { Pod: '200', ResourceClaim: '150' }, { claim: '151' }],
    ['when no claims were listed before', { Pod: '200' }],
    ['when no pods were listed before', { ResourceClaim: '200' }],
    [
      'when etcd was restored and earlier lists are newer than current ones',
      { Pod: '200', ResourceClaim: '200' },
      { listed: '150' },
    ],
    ['when a version is not a number', { Pod: 'zzz', ResourceClaim: '200' }, { listed: 'zzzz' }],
  ])('earlier lists prove nothing about a pod and its claim %s', (_, known, own = {}) => {
    expect(wereSameAt(versions(known), read(own))).toBe(false);
  });

  it('earlier lists prove nothing about a pod that is gone or whose claim is gone', () => {
    const known = versions({ Pod: '200', ResourceClaim: '200' });
    const absent = { kind: 'Absent' } as const;
    expect(wereSameAt(known, { ...read({}), pod: absent })).toBe(false);
    expect(wereSameAt(known, { ...read({}), claims: new Map([['default/a', absent]]) })).toBe(false);
  });
});
