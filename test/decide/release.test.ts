// Which entries of reservedFor are removed, which wait, and which belong to another controller.
import { describe, expect, it } from 'vitest';
import { hasNonPodEntry, releaseOf } from '../../lib/decide/release.ts';
import type { ConsumerReference, ConsumerState } from '../../lib/model/objects.ts';

const job: ConsumerReference = { apiGroup: 'batch', resource: 'jobs', name: 'train', uid: 'job' };
const other: ConsumerReference = { ...job, name: 'other', uid: 'other' };
const onePod: ConsumerReference = { resource: 'pods', name: 'p', uid: 'pod' };
const forbidden: ConsumerState = { kind: 'Unknown', why: 'forbidden' };

describe('an entry of reservedFor', () => {
  it.each<[string, ConsumerState | undefined, boolean]>([
    ['is removed when its consumer is not found', { kind: 'NotFound' }, true],
    ['is removed when another object has the name of its consumer', { kind: 'Found', uid: 'successor' }, true],
    ['is kept while its consumer exists', { kind: 'Found', uid: 'job' }, false],
    ['is kept while the state of its consumer is unknown', forbidden, false],
    ['is kept when its consumer was not read', undefined, false],
  ])('an entry of reservedFor %s', (_, state, goes) => {
    const { remaining } = releaseOf([onePod, job, other], new Map(state ? [['job', state]] : []));
    expect(remaining).toEqual(goes ? [onePod, other] : [onePod, job, other]);
  });

  it('an entry whose consumer is unknown waits with a reason', () => {
    const states = new Map<string, ConsumerState>([
      ['job', forbidden],
      ['other', { kind: 'NotFound' }],
    ]);
    const waiting = [{ entry: job, why: 'forbidden' }];
    expect(releaseOf([job, other], states)).toEqual({ remaining: [job], waiting });
  });

  it('an entry of a pod is left to the controller that owns it', () => {
    expect(releaseOf([onePod], new Map([['pod', { kind: 'NotFound' }]])).remaining).toEqual([onePod]);
  });
});

it.each([
  ['a Job beside a pod', [onePod, job], true],
  ['pods only', [onePod], false],
  ['nothing', [], false],
])('only a claim with an entry that is not a pod is examined: one reserved for %s', (_, reservedFor, expected) => {
  expect(hasNonPodEntry({ reservedFor })).toBe(expected);
});
