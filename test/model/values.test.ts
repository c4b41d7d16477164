// Names, versions, instants and origins.

import { describe, expect, it } from 'vitest';
import { singleChanges } from '../../lib/model/change.ts';
import { defaultRate } from '../../lib/model/eviction.ts';
import {
  clusterIdOf,
  clusterNameOf,
  compareResourceVersions,
  deviceKey,
  incarnationOf,
  nameKey,
  newIncarnationCommand,
  parseNameKey,
  poolKey,
} from '../../lib/model/identity.ts';
import { longestHealthyDelay } from '../../lib/model/standing.ts';
import {
  farFuture,
  formatInstant,
  isDue,
  longestDuration,
  parseDuration,
  parseInstant,
  plusSeconds,
} from '../../lib/model/time.ts';
import { waveKey } from '../../lib/model/wave.ts';

describe('keys', () => {
  it('keys of objects, pools and devices are their names, separated', () => {
    expect(nameKey({ namespace: 'ns', name: 'pod.x' })).toBe('ns/pod.x');
    expect(parseNameKey('ns/pod.x')).toEqual({ namespace: 'ns', name: 'pod.x' });
    expect(poolKey('d', 'a/b')).toBe('d|a/b');
    expect(deviceKey({ driver: 'd', pool: 'a/b', device: 'x' })).toBe('d|a/b|x');
  });
});

describe('the identity of a cluster', () => {
  it('the identity of a cluster is its name and its incarnation, and both can be read from it', () => {
    const cluster = clusterIdOf('prod', 'uid.restored-1');
    expect(cluster).toBe('prod@uid.restored-1');
    expect([clusterNameOf(cluster), incarnationOf(cluster)]).toEqual(['prod', 'uid.restored-1']);
  });

  it('a cluster has an empty incarnation before one is known', () => {
    expect(clusterIdOf('prod', undefined)).toBe('prod@');
    expect(incarnationOf('prod@')).toBe('');
  });

  it('a cluster name without an incarnation is read as it is', () => {
    expect(clusterNameOf('prod')).toBe('prod');
  });

  it('the command after a restore annotates kube-system with a new incarnation', () => {
    expect(newIncarnationCommand).toBe(
      'kubectl annotate --overwrite namespace kube-system sluice.dev/incarnation=restored-1',
    );
  });
});

describe('changes', () => {
  it('a Listed change becomes one Upserted change for each object, in order; others stay as they are', () => {
    const objects = ['a', 'b'].map((name) => ({ kind: 'Namespace' as const, name, uid: name, resourceVersion: '1' }));
    expect(singleChanges({ type: 'Listed', objects })).toEqual(objects.map((object) => ({ type: 'Upserted', object })));
    expect(singleChanges({ type: 'Switched' })).toEqual([{ type: 'Switched' }]);
  });
});

describe('resource versions', () => {
  it.each([
    ['1', '2', -1],
    ['2', '1', 1],
    ['2', '2', 0],
    ['9', '10', -1],
    ['10', '9', 1],
    ['0010', '9', 1],
    ['0010', '99', -1],
    ['99', '0010', 1],
    ['0', '', 0],
    ['18446744073709551615', '18446744073709551614', 1],
    ['18446744073709551614', '18446744073709551615', -1],
    ['99999999999999999999999999', '100000000000000000000000000', -1],
  ] as const)('the order of resource version %s against %s is %d', (a, b, expected) => {
    expect(compareResourceVersions(a, b)).toBe(expected);
  });
});

describe('instants', () => {
  it('plusSeconds never moves an instant back, nor beyond the range of a Date', () => {
    expect(plusSeconds(5, 2)).toBe(2005);
    expect(plusSeconds(5, -2)).toBe(5);
    expect(plusSeconds(5, 2 ** 53)).toBe(farFuture);
    expect(new Date(farFuture).getTime()).toBe(farFuture);
    expect(new Date(farFuture + 1).getTime()).toBeNaN();
  });

  it('an instant is due as soon as the clock reaches it', () => {
    expect([isDue(5, 4), isDue(5, 5), isDue(5, 6)]).toEqual([false, true, true]);
  });

  it('instants are read and written in the format of the API server', () => {
    expect(parseInstant('2026-11-20T10:00:00Z')).toBe(Date.UTC(2026, 10, 20, 10));
    expect([parseInstant(undefined), parseInstant(null), parseInstant(''), parseInstant('soon')]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(['x2026-11-20T10:00:00Z', '2026-11-20T10:00:00Zx'].map(parseInstant)).toEqual([undefined, undefined]);
    expect(formatInstant(Date.UTC(2026, 10, 20, 10) + 999)).toBe('2026-11-20T10:00:00Z');
    expect(formatInstant(farFuture + 1)).toBe('+275760-09-13T00:00:00Z');
    expect(formatInstant(-farFuture - 1)).toBe('-271821-04-20T00:00:00Z');
  });
});

describe('durations', () => {
  it.each([
    ['90s', 90_000],
    ['1h30m', 5_400_000],
    ['250ms', 250],
    ['0s', 0],
    ['8784h', longestDuration],
    ['8783h60m', longestDuration],
    ['8784h1ms', undefined],
    ['999999999h999999999h444444444h', undefined],
    ['1000000000ms', undefined],
    ['1.5h', undefined],
    ['-1h', undefined],
    ['1d', undefined],
    ['1h ', undefined],
    ['', undefined],
  ])('the duration "%s" is read as %s', (text, length) => {
    expect(parseDuration(text)).toBe(length);
  });
});

it('the default rate is ten pods a second after a burst of ten', () => {
  expect(defaultRate).toEqual({ perSecond: 10, burst: 10 });
});

it('waves of pools and of classes have different keys', () => {
  const wave = { policy: 'p', key: 'k' };
  expect(waveKey({ ...wave, scope: { kind: 'Pool', driver: 'd', pool: 'x' } })).toBe('p|Pool|d|x|k');
  expect(waveKey({ ...wave, scope: { kind: 'Class', name: 'x', selectors: [] } })).toBe('p|Class|x|k');
});

it('the longest healthyDelay is one day', () => {
  expect(longestHealthyDelay).toBe(86_400_000);
});
