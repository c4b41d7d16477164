// Failures as sentences of a page.
import { expect, it } from 'vitest';
import { Failure, failureSentences } from '../../lib/commands/failure.ts';

it.each([
  ['a/b/c is not a pod', 'a/b/c is not a pod.'],
  ['the-node is not tainted', 'the-node is not tainted.'],
  ['a pod has no such claim', 'A pod has no such claim.'],
  ['the cluster cannot be read', 'The cluster cannot be read.'],
])('a sentence of a page begins with a capital letter, and a name as it was typed: %s', (text, said) => {
  expect(failureSentences(new Failure(text))).toEqual([said]);
});
