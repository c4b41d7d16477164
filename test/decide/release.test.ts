// Which entries of reservedFor are removed, which wait, and which are not its concern.
import { describe, expect, it } from 'vitest';
import { hasNonPodEntry, releaseOf } from '../../lib/decide/release.ts';
import type { ConsumerReference, ConsumerState } from '../../lib/model/objects.ts';

const job: ConsumerReference = { apiGroup: 'batch', resource: 'jobs', name: 'train', uid: 'job' };
const other: ConsumerReference = { ...job, name: 'other', uid: 'other' };
const onePod: ConsumerReference = { resource: 'pods', name: 'p', uid: 'pod' };
const forbidden: ConsumerState = { kind: 'Unknown', why: 'forbidden' };

describe('an entry of reservedFor', () => {
  it.each<[string, ConsumerState | undefined, boolean]>([
    ['goes when its consumer is not found', { kind: 'NotFound' }, true],
    ['goes when another object has its name', { kind: 'Found', uid: 'successor' }, true],
    ['stays while its consumer lives', { kind: 'Found', uid: 'job' }, false],
    ['stays while that is unknown', forbidden, false],
    ['stays when it was not asked', undefined, false],
  ])('an entry of reservedFor is removed once its pod has ended: %s', (_, state, goes) => {
    const { remaining } = releaseOf([onePod, job, other], new Map(state ? [['job', state]] : []));
    expect(remaining).toEqual(goes ? [onePod, other] : [onePod, job, other]);
  });

  it('waits with a reason where that is unknown', () => {
    const states = new Map<string, ConsumerState>([
      ['job', forbidden],
      ['other', { kind: 'NotFound' }],
    ]);
    const waiting = [{ entry: job, why: 'forbidden' }];
    expect(releaseOf([job, other], states)).toEqual({ remaining: [job], waiting });
  });

  it('of a pod is left to the controller that owns it', () => {
    expect(releaseOf([onePod], new Map([['pod', { kind: 'NotFound' }]])).remaining).toEqual([onePod]);
  });
});

it.each([
  ['one that is not a pod', [onePod, job], true],
  ['pods alone', [onePod], false],
  ['nothing', [], false],
])('a claim reserved for %s is worth asking about: %#', (_, reservedFor, expected) => {
  expect(hasNonPodEntry({ reservedFor })).toBe(expected);
});
