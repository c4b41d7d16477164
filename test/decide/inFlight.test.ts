// Whose evictions count together, how many there may be at once, and when a seat is free again.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Census } from '../../lib/decide/census.ts';
import {
  type FlightSeat,
  isInFlight,
  limitsFlight,
  mostAtOnce,
  nextSeat,
  scopesOf,
} from '../../lib/decide/inFlight.ts';
import type { EvictionState } from '../../lib/model/eviction.ts';
import { aPod } from '../support/objects.ts';

const controller = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'uid-web' };
const limits = { maxPerNode: { count: 2 }, maxPerWorkload: { percent: 10 } };
const node = { kind: 'Node', of: 'node-1', atOnce: limits.maxPerNode } as const;
const workload = { kind: 'Workload', of: 'uid-web', atOnce: limits.maxPerWorkload } as const;
const { nodeName: _, ...unscheduled } = aPod('a', { controller });

describe('a pod counts', () => {
  it.each([
    ['on its node and in its workload', aPod('a', { controller }), limits, [node, workload]],
    ['in no workload without a controller', aPod('a'), limits, [node]],
    ['on no node before it has one', unscheduled, limits, [workload]],
    ['on no node of an empty name', aPod('a', { nodeName: '' }), limits, []],
    ['where there is a limit alone', aPod('a', { controller }), { maxPerNode: { count: 2 } }, [node]],
    ['nowhere under limits of whole rules', aPod('a', { controller }), { maxPods: 1 }, []],
    ['nowhere without limits', aPod('a', { controller }), undefined, []],
  ])('%s', (_, pod, of, scopes) => {
    expect(scopesOf(pod, of)).toEqual(scopes);
  });

  it.each([
    [undefined, false],
    [{}, false],
    [{ maxPods: 1, maxPercent: 1, maxNamespaces: 1 }, false],
    [{ maxPerNode: { count: 1 } }, true],
    [{ maxPerWorkload: { count: 1 } }, true],
  ])('under %o: %s', (of, limited) => {
    expect(limitsFlight(of)).toBe(limited);
  });
});

describe('at once there may be', () => {
  const census: Census = {
    all: 40,
    byDriver: new Map(),
    byClass: new Map(),
    byNode: new Map([['node-1', 8]]),
    byWorkload: new Map([
      ['uid-web', 21],
      ['node-1', 99],
    ]),
  };

  it.each([
    ['a count as it is written', node, 2],
    ['a part of those on the node', { ...node, atOnce: { percent: 50 } }, 4],
    ['a part of those in the workload, rounded up', workload, 3],
    ['one where the part is less', { ...node, atOnce: { percent: 1 } }, 1],
    ['one where nobody is known', { ...node, of: 'node-9', atOnce: { percent: 100 } }, 1],
  ] as const)('%s', (_, scope, most) => {
    expect(mostAtOnce(scope, census)).toBe(most);
  });

  it.each(['Node', 'Workload'] as const)('one of a part of a %s where nobody counted', (kind) => {
    expect(mostAtOnce({ kind, of: 'uid-web', atOnce: { percent: 100 } }, undefined)).toBe(1);
  });
});

describe('an eviction', () => {
  const row = (state: EvictionState, overrides: object = {}) => ({
    uid: 'u',
    gone: false,
    ledger: { podUid: 'u', state, listings: [], because: [], order: '' },
    ...overrides,
  });

  it.each<[string, Parameters<typeof isInFlight>[1], boolean]>([
    ['is in flight from its intent on', row('Deleting'), true],
    ['is so until its pod is gone', row('Evicted'), true],
    ['is so where the pod was found terminating', row('Gone'), true],
    ['is over when its pod is gone', row('Evicted', { gone: true }), false],
    ['is over when its name is another pod’s', row('Evicted', { uid: 'v' }), false],
    [
      'is not what stands in the row of a successor',
      { ...row('Evicted'), uid: 'u', ledger: { ...row('Evicted').ledger, podUid: 'old' } },
      false,
    ],
    ['was given up', row('Pending'), false],
    ['was given up, and has another slot', row('Reserved'), false],
    ['was cancelled', row('Cancelled'), false],
    ['is over where nobody knows the pod any more', undefined, false],
    ['is over where nobody knows of the eviction', { uid: 'u', gone: false }, false],
  ])('%s', (_, of, inFlight) => {
    expect(isInFlight({ uid: 'u' }, of)).toBe(inFlight);
  });
});

describe('the next seat', () => {
  const seat = (number: number, uid: string): FlightSeat => ({ seat: number, uid, pod: `n/${uid}`, turn: 1 });

  it.each<[string, readonly FlightSeat[], readonly string[], number, object | undefined]>([
    ['is the first one', [], [], 1, { seat: 0 }],
    ['is one that nobody had', [seat(0, 'a')], ['a'], 2, { seat: 1 }],
    ['is one that nobody needs any more', [seat(0, 'a'), seat(1, 'b')], ['b'], 2, { seat: 0, before: seat(0, 'a') }],
    ['is none while all are needed', [seat(0, 'a'), seat(1, 'b')], ['a', 'b'], 2, undefined],
    ['is none while more are needed than there may be now', [seat(4, 'a')], ['a'], 1, undefined],
    ['is a low one, though high ones are needed still', [seat(4, 'a')], ['a'], 2, { seat: 0 }],
  ])('%s', (_, seats, inFlight, most, next) => {
    expect(nextSeat(seats, { most, inFlight: new Set(inFlight) })).toEqual(next);
  });

  it('is below the number that may be in flight, whoever came and went', () => {
    const moves = fc.array(fc.record({ uid: fc.integer({ min: 0, max: 20 }).map(String), ends: fc.boolean() }), {
      maxLength: 60,
    });
    fc.assert(fc.property(fc.integer({ min: 1, max: 5 }), moves, takesNoMoreThan));
  });

  function takesNoMoreThan(most: number, moved: readonly { readonly uid: string; readonly ends: boolean }[]): void {
    const seats = new Map<number, FlightSeat>();
    const inFlight = new Set<string>();
    for (const { uid, ends } of moved) {
      if (ends) inFlight.delete(uid);
      if (ends || inFlight.has(uid)) continue;
      const next = nextSeat([...seats.values()], { most, inFlight });
      expect(next === undefined).toBe(inFlight.size >= most);
      if (!next) continue;
      expect(next.seat).toBeLessThan(most);
      seats.set(next.seat, seat(next.seat, uid));
      inFlight.add(uid);
    }
  }
});
