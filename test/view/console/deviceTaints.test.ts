// Which taints the map shows as held: by their policy's settings, or by what its condition says.
import { expect, it } from 'vitest';
import type { EvictionPolicy } from '../../../lib/model/policy.ts';
import { ruleLimiter } from '../../../lib/model/rule.ts';
import type { Snapshot } from '../../../lib/model/snapshot.ts';
import { holdsAt } from '../../../lib/view/console/deviceTaints.ts';
import { taintRule } from '../../support/pacedBuilders.ts';

const by = { kind: 'Source', source: 'ResourceSlice', key: 'example.com/bad', driver: 'd' } as const;
const policy = (more: object) =>
  ({ kind: 'EvictionPolicy', name: 'p', uid: 'u', generation: 1, taints: {}, ...more }) as unknown as EvictionPolicy;
const snapshot = (one: EvictionPolicy) => ({ rules: [], policies: [one] }) as unknown as Snapshot;

it.each([
  ['evicts', policy({}), [], false],
  ['is paused', policy({ paused: true }), [], true],
  ['is held by its condition, such as for a doubtful observer', policy({}), ['u'], true],
  ['has a rate of 0', policy({ evictionsPerSecond: 0 }), [], true],
  ['is another than the held one', policy({}), ['q'], false],
] as const)('a slice taint whose policy %s is shown as such', (_, one, held, isHeld) => {
  expect(holdsAt(snapshot(one), 0, new Set(held))(by)).toBe(isHeld);
});

it('a rule with a rate of 0 is shown as held, one with a rate is not, and a DeviceTaintSlice has a rate of its own', () => {
  const held = (perSecond: string) => {
    const one = taintRule({ annotations: { 'sluice.dev/evictions-per-second': perSecond } });
    const on = { kind: 'Rule', limiter: ruleLimiter(one) } as const;
    return holdsAt({ rules: [one], policies: [] } as unknown as Snapshot, 0)(on);
  };
  expect(held('0')).toBe(true);
  expect(held('1')).toBe(false);
  const slice = { ...by, source: 'DeviceTaintSlice' } as const;
  expect(holdsAt(snapshot(policy({ evictionsPerSecond: 0 })), 0)(slice)).toBe(false);
});
