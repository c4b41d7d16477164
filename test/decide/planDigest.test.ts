// The digest of a plan: one for each set of pods in any order, computed without keeping the pods.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addPod, digestOf, noPodSum } from '../../lib/decide/planDigest.ts';

const sumOf = (pods: readonly string[]) => pods.reduce(addPod, noPodSum);

it('the sum of pods has eight words, each the sum of that word in the SHA-256 of every UID', () => {
  expect(sumOf([])).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
  // printf a | sha256sum, printf b | sha256sum: ca978112 + 3e23e816 = 108bb6928, and so on.
  expect(sumOf(['a', 'b'])).toEqual([
    146499880, 3394574100, 776700184, 4278553985, 860121592, 2639297212, 2230609459, 2240432472,
  ]);
});

it('a digest is twelve hexadecimal digits of SHA-256 over rule, generation, sum of pods and deleted policies', () => {
  const of = { uid: 'rule-uid', generation: 1 };
  // printf 'rule-uid\n1\n146499880 3394574100 … 2240432472' | sha256sum
  expect(digestOf(of, sumOf(['b', 'a']))).toBe('d3cdee24e8dc');
  // and '\npolicy' after it
  expect(digestOf(of, sumOf(['b', 'a']), ['policy'])).toBe('863857da9a8a');
});

it('a digest changes with the pods, the rule, its generation and deleted policies, not with the order of pods', () => {
  const uids = fc.uniqueArray(fc.uuid(), { maxLength: 20 });
  fc.assert(
    fc.property(uids, fc.uuid(), (pods, other) => {
      const of = { uid: 'r', generation: 1 };
      const digest = digestOf(of, sumOf(pods));
      expect(digestOf(of, sumOf(pods.toReversed()))).toBe(digest);
      if (!pods.includes(other)) expect(digestOf(of, sumOf([...pods, other]))).not.toBe(digest);
      expect(digestOf(of, sumOf(pods), ['policy'])).not.toBe(digest);
      expect(digestOf({ uid: 'r', generation: 2 }, sumOf(pods))).not.toBe(digest);
      expect(digestOf({ uid: 's', generation: 1 }, sumOf(pods))).not.toBe(digest);
    }),
  );
});
