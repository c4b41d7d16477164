// What an EvictionPolicy requires of taints before they evict, as an API server sends it.
import { describe, expect, it } from 'vitest';
import { projectPolicy } from '../../../lib/adapters/kubernetes/projectPolicy.ts';
import { parseChange } from '../../../lib/adapters/sqs/changes.ts';

const policyOf = (spec: object, annotations?: object) =>
  projectPolicy({ metadata: { name: 'p', uid: 'u', resourceVersion: '1', generation: 1, annotations }, spec });

describe('a duration of an EvictionPolicy', () => {
  it.each([
    ['minimumAge', '90s', 90_000],
    ['minimumAge', '1h30m', 5_400_000],
    ['healthyDelay', '10m', 600_000],
    ['healthyDelay', '24h', 86_400_000],
  ])('a duration of an EvictionPolicy is read: %s %s', (field, text, milliseconds) => {
    expect(policyOf({ [field]: text })).toMatchObject({ kind: 'Projected', object: { [field]: milliseconds } });
  });

  it.each([
    ['minimumAge', 'soon', 'spec: minimumAge "soon" is no duration such as 90s or 8h of at most 8784h'],
    ['healthyDelay', '1d', 'spec: healthyDelay "1d" is no duration such as 90s or 8h of at most 8784h'],
    ['healthyDelay', '24h1ms', 'spec: healthyDelay is longer than 24h'],
    ['minimumAge', 5, 'spec.minimumAge is not a text'],
  ])('an EvictionPolicy with a wrong duration is unreadable and says why: %s %s', (field, value, why) => {
    expect(policyOf({ [field]: value })).toMatchObject({ kind: 'Unreadable', harmless: { unreadable: why } });
  });
});

describe('the observer of an EvictionPolicy', () => {
  it.each([
    [{}, { minDevices: 8, percent: 80, window: 60_000 }],
    [
      { minDevices: 1, percent: 100, window: '2m' },
      { minDevices: 1, percent: 100, window: 120_000 },
    ],
    [{ percent: 1 }, { minDevices: 8, percent: 1, window: 60_000 }],
  ])('the observer settings of an EvictionPolicy are read: %o', (observer, read) => {
    expect(policyOf({ observer })).toMatchObject({ kind: 'Projected', object: { observer: read } });
  });

  it('an EvictionPolicy without an observer is read without one', () => {
    const projected = policyOf({});
    expect(projected.kind === 'Projected' && 'observer' in projected.object).toBe(false);
  });

  it.each([
    [{ minDevices: 0 }, 'spec.observer: minDevices 0 is no whole number from 1 on'],
    [{ minDevices: 1.5 }, 'spec.observer: minDevices 1.5 is no whole number from 1 on'],
    [{ percent: 0 }, 'spec.observer: percent 0 is no whole number from 1 to 100'],
    [{ percent: 101 }, 'spec.observer: percent 101 is no whole number from 1 to 100'],
    [{ window: 'x' }, 'spec.observer: window "x" is no duration such as 90s or 8h of at most 8784h'],
  ])('an EvictionPolicy with a wrong observer is unreadable and says why: %o', (observer, why) => {
    expect(policyOf({ observer })).toMatchObject({ kind: 'Unreadable', harmless: { unreadable: why } });
  });
});

describe('the loop limits of an EvictionPolicy', () => {
  it('loop limits are read as they are written, and are absent if none are written', () => {
    expect(policyOf({ loopLimit: 0, loopWindow: '30m' })).toMatchObject({
      object: { loopLimit: 0, loopWindow: 1_800_000 },
    });
    const projected = policyOf({});
    expect(projected.kind === 'Projected' && Object.keys(projected.object)).not.toContain('loopLimit');
  });

  it.each([
    [{ loopLimit: -1 }, 'spec: loopLimit -1 is no whole number from 0 to 100'],
    [{ loopLimit: 101 }, 'spec: loopLimit 101 is no whole number from 0 to 100'],
    [{ loopWindow: '0s' }, 'spec: loopWindow is no time at all: set loopLimit to 0 for no limit'],
    [{ loopWindow: 'x' }, 'spec: loopWindow "x" is no duration such as 90s or 8h of at most 8784h'],
  ])('an EvictionPolicy with wrong loop limits is unreadable and says why: %o', (spec, why) => {
    expect(policyOf(spec)).toMatchObject({ kind: 'Unreadable', harmless: { unreadable: why } });
  });
});

it('an EvictionPolicy passes through the queue unchanged', () => {
  const projected = policyOf(
    { minimumAge: '2m', healthyDelay: '1h', observer: {}, loopLimit: 2, loopWindow: '1h' },
    { 'sluice.dev/approve': '0123456789ab' },
  );
  if (projected.kind !== 'Projected') throw new Error('the policy cannot be read');
  const { object } = projected;
  expect(object.annotations).toEqual({ 'sluice.dev/approve': '0123456789ab' });
  const sent = JSON.stringify({ version: 1, type: 'Upserted', incarnation: 'uid', object });
  expect(parseChange(sent)).toMatchObject({ kind: 'Parsed', value: { object } });
});
