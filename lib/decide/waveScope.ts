// Which devices lie in the pool or class of a wave.
import { type DeviceId, poolKey } from '../model/identity.ts';
import type { WaveScope } from '../model/wave.ts';
import { matchDevice, type Published, type Selecting } from './deviceMatch.ts';

/** `undefined`: that is unknown. */
export function isInside(scope: WaveScope, device: DeviceId, around: Published): boolean | undefined {
  if (scope.kind === 'Pool') return scope.driver === device.driver && scope.pool === device.pool;
  const { kind } = matchDevice(selectingOf(scope), device, around);
  return kind === 'Unknown' ? undefined : kind === 'Selected';
}

export function countInside(scope: WaveScope, around: Published): number {
  // Stryker disable next-line ConditionalExpression,StringLiteral: device by device the number is the same, only slower
  if (scope.kind === 'Pool') return around.pools.get(poolKey(scope.driver, scope.pool))?.devices.size ?? 0;
  let count = 0;
  for (const { driver, name: pool, devices } of around.pools.values())
    for (const device of devices.keys()) if (isInside(scope, { driver, pool, device }, around)) count++;
  return count;
}

const selecting = new Map<string, Selecting>();

/** What is compiled of an expression hangs on this object, while waves come from the table again and again. */
function selectingOf({ name, selectors }: Extract<WaveScope, { kind: 'Class' }>): Selecting {
  const key = JSON.stringify([name, selectors]);
  const known = selecting.get(key) ?? { deviceSelector: { deviceClassName: name }, deviceClass: selectors };
  // Stryker disable next-line ConditionalExpression,EqualityOperator,CallExpression: a memory that is emptied too often is only slower, one that never is only larger
  if (selecting.size > 1000) selecting.clear();
  // Stryker disable next-line CallExpression: without the memory a class is compiled again, only slower
  selecting.set(key, known);
  return known;
}
