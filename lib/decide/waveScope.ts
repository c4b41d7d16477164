// Which devices belong to the pool or class of a wave.
import { type DeviceId, poolKey } from '../model/identity.ts';
import type { Recall } from '../model/recall.ts';
import type { WaveScope } from '../model/wave.ts';
import { matchDevice, type Published, type Selecting } from './deviceMatch.ts';

/** `undefined`: unknown. */
export function isInside(scope: WaveScope, device: DeviceId, around: Published): boolean | undefined {
  if (scope.kind === 'Pool') return scope.driver === device.driver && scope.pool === device.pool;
  const { kind } = matchDevice(selectingOf(scope, around.recall), device, around);
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

/** Compiled expressions are cached per object, but waves are read from the table again each time: this keeps one object per class. */
function selectingOf({ name, selectors }: Extract<WaveScope, { kind: 'Class' }>, recall: Recall): Selecting {
  const make = (): Selecting => ({ deviceSelector: { deviceClassName: name }, deviceClass: selectors });
  // Stryker disable next-line StringLiteral: any name distinguishes it from the others
  return recall('class of a wave', JSON.stringify([name, selectors]), make);
}
