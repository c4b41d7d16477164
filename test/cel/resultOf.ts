// One evaluation, its result named as in the vectors.
import { buildDevice, type DeviceFields } from '../../lib/cel/device.ts';
import type { Release } from '../../lib/cel/environment.ts';
import { compile } from '../../lib/cel/selector.ts';

export type Result = boolean | 'compile-error' | 'runtime-error';

export function resultOf(expression: string, device: DeviceFields, release?: Release): Result {
  const selector = compile(expression, release ? { release } : {});
  if (selector.kind === 'CompileError') return 'compile-error';
  const match = selector.matches(buildDevice(device));
  return typeof match === 'object' ? 'runtime-error' : match;
}
