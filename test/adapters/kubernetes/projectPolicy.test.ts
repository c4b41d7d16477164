// EvictionPolicies as they are read, and sent on: what cannot be read holds what the policy selects.
import { describe, expect, it } from 'vitest';
import { project } from '../../../lib/adapters/kubernetes/project.ts';
import { formatMessage, parseChange } from '../../../lib/adapters/sqs/messages.ts';
import type { EvictionPolicy } from '../../../lib/model/policy.ts';

const metadata = { name: 'p', uid: 'uid-p', resourceVersion: '3', generation: 2 };

function read(spec: object): EvictionPolicy {
  const result = project('EvictionPolicy', { metadata, spec: { taints: { keys: ['k'] }, ...spec } });
  const object = result.kind === 'Projected' ? result.object : result.harmless;
  if (object?.kind !== 'EvictionPolicy') throw new Error('no policy');
  const parsed = parseChange(formatMessage({ type: 'Upserted', object }));
  expect(parsed).toMatchObject({ kind: 'Parsed', value: { object } });
  return object;
}

describe('a canary', () => {
  it.each([
    [
      { pods: 3, hold: '10m' },
      { pods: 3, hold: 600_000 },
    ],
    [
      { pods: 1, hold: '1h30s' },
      { pods: 1, hold: 3_630_000 },
    ],
    [
      { pods: 1000, hold: '0s' },
      { pods: 1000, hold: 0 },
    ],
  ])('%o is read', (canary, expected) => {
    expect(read({ canary })).toMatchObject({ canary: expected });
    expect(read({ canary }).unreadable).toBeUndefined();
  });

  it.each([
    [{ hold: '10m' }, 'spec.canary: pods is no whole number from 1 to 1000'],
    [{ pods: 0, hold: '10m' }, 'spec.canary: pods is no whole number from 1 to 1000'],
    [{ pods: 1001, hold: '10m' }, 'spec.canary: pods is no whole number from 1 to 1000'],
    [{ pods: 1.5, hold: '10m' }, 'spec.canary: pods is no whole number from 1 to 1000'],
    [{ pods: 3 }, 'spec.canary.hold is missing'],
    [{ pods: 3, hold: 'a while' }, 'spec.canary: hold "a while" is no duration such as 10m or 2h'],
    ['3', 'spec.canary is not an object'],
  ])('%o holds what the policy selects', (canary, why) => {
    const policy = read({ canary });
    expect(policy.unreadable).toContain(why);
    expect(policy.taints).toEqual({ keys: ['k'] });
    expect(policy.canary).toBeUndefined();
  });
});
