// Which taints the map shows as held: by their policy's settings, or by what its condition says.
import { expect, it } from 'vitest';
import type { EvictionPolicy } from '../../../lib/model/policy.ts';
import type { Snapshot } from '../../../lib/model/snapshot.ts';
import { holdsAt } from '../../../lib/view/console/deviceTaints.ts';

const by = { kind: 'Source', source: 'ResourceSlice', key: 'example.com/bad', driver: 'd' } as const;
const policy = (more: object) =>
  ({ kind: 'EvictionPolicy', name: 'p', uid: 'u', generation: 1, taints: {}, ...more }) as unknown as EvictionPolicy;
const snapshot = (one: EvictionPolicy) => ({ rules: [], policies: [one] }) as unknown as Snapshot;

it.each([
  ['evicts', policy({}), [], false],
  ['is paused', policy({ paused: true }), [], true],
  ['is held by its condition, such as for a doubtful observer', policy({}), ['u'], true],
  ['is another than the held one', policy({}), ['q'], false],
] as const)('a slice taint whose policy %s is shown as such', (_, one, held, isHeld) => {
  expect(holdsAt(snapshot(one), 0, new Set(held))(by)).toBe(isHeld);
});
