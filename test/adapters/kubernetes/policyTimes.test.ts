// The times in an EvictionPolicy as an API server sends them.
import { describe, expect, it } from 'vitest';
import { projectPolicy } from '../../../lib/adapters/kubernetes/projectPolicy.ts';
import { parseChange } from '../../../lib/adapters/sqs/messages.ts';

const policyOf = (spec: object) =>
  projectPolicy({ metadata: { name: 'p', uid: 'u', resourceVersion: '1', generation: 1 }, spec });

describe('a time of an EvictionPolicy', () => {
  it.each([
    ['minimumAge', '90s', 90_000],
    ['minimumAge', '1h30m', 5_400_000],
    ['healthyDelay', '10m', 600_000],
    ['healthyDelay', '24h', 86_400_000],
  ])('%s %s is read', (field, text, milliseconds) => {
    expect(policyOf({ [field]: text })).toMatchObject({ kind: 'Projected', object: { [field]: milliseconds } });
  });

  it.each([
    ['minimumAge', 'soon', 'spec: minimumAge "soon" is no duration such as 90m or 8h'],
    ['healthyDelay', '1d', 'spec: healthyDelay "1d" is no duration such as 90m or 8h'],
    ['healthyDelay', '24h1ms', 'spec: healthyDelay is longer than 24h'],
    ['minimumAge', 5, 'spec.minimumAge is not a text'],
  ])('%s %s holds everything that the policy selects, and says why', (field, value, why) => {
    expect(policyOf({ [field]: value })).toMatchObject({ kind: 'Unreadable', harmless: { unreadable: why } });
  });
});

it('what is read of a policy comes through the queue whole', () => {
  const projected = policyOf({ minimumAge: '2m', healthyDelay: '1h' });
  if (projected.kind !== 'Projected') throw new Error('the policy cannot be read');
  const { object } = projected;
  const sent = JSON.stringify({ version: 1, type: 'Upserted', object });
  expect(parseChange(sent)).toMatchObject({ kind: 'Parsed', value: { object } });
});
