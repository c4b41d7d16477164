// What the version of a list proves of a pod and its claims that are read after it.
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

/** A pod and its claim, each in the version `own`, in lists of the version `listed`. */
function read({ own = '100', claim = own, listed = '300' }: Versions): OwnReads {
  const pod = { kind: 'There', object: { ...aPod('a'), resourceVersion: own }, listed } as const;
  const claims = new Map([
    ['default/a', { kind: 'There', object: { ...aClaim('a', 'gpu-0'), resourceVersion: claim }, listed } as const],
  ]);
  return { kind: 'Own', pod, claims, begun: 1, ended: 2 };
}

describe('a pod and its claim, by the versions of lists that were read before them,', () => {
  it.each<[string, Partial<Record<ObjectKind, string>>, Versions?]>([
    ['since both are older than these lists', { Pod: '200', ResourceClaim: '200' }],
    ['since neither is newer than these lists', { Pod: '100', ResourceClaim: '100' }],
    ['since versions are numbers and no texts', { Pod: '1000', ResourceClaim: '200' }, { own: '99', listed: '1000' }],
  ])('were the same, %s', (_, known, own = {}) => {
    expect(wereSameAt(versions(known), read(own))).toBe(true);
  });

  it.each<[string, Partial<Record<ObjectKind, string>>, Versions?]>([
    ['where the pod is newer than the list of pods', { Pod: '99', ResourceClaim: '200' }],
    ['where the claim is newer than the list of claims', { Pod: '200', ResourceClaim: '150' }, { claim: '151' }],
    ['where no claim was listed before', { Pod: '200' }],
    ['where no pod was listed before', { ResourceClaim: '200' }],
    [
      'where etcd was restored: the lists were newer than those of now',
      { Pod: '200', ResourceClaim: '200' },
      { listed: '150' },
    ],
    ['where a version is no number', { Pod: 'zzz', ResourceClaim: '200' }, { listed: 'zzzz' }],
  ])('may have been others %s', (_, known, own = {}) => {
    expect(wereSameAt(versions(known), read(own))).toBe(false);
  });

  it('may have been others where the pod is gone, or a claim that it names', () => {
    const known = versions({ Pod: '200', ResourceClaim: '200' });
    const absent = { kind: 'Absent' } as const;
    expect(wereSameAt(known, { ...read({}), pod: absent })).toBe(false);
    expect(wereSameAt(known, { ...read({}), claims: new Map([['default/a', absent]]) })).toBe(false);
  });
});
