// Taints and tolerations as the API has them.
import type { DeviceTaint, DeviceToleration } from '../../model/objects.ts';
import type { Instant } from '../../model/time.ts';
import { instantOf, present, type Reader } from './read.ts';

export function readTaint(taint: Reader): DeviceTaint {
  return {
    key: taint.text('key'),
    effect: taint.text('effect'),
    ...present<{ value: string; timeAdded: Instant }>({
      value: taint.optionalText('value'),
      timeAdded: instantOf(taint.members.timeAdded),
    }),
  };
}

export function readToleration(toleration: Reader): DeviceToleration {
  return present<Required<DeviceToleration>>({
    key: toleration.optionalText('key'),
    operator: toleration.optionalText('operator'),
    value: toleration.optionalText('value'),
    effect: toleration.optionalText('effect'),
    tolerationSeconds: clamped(toleration.optionalNumber('tolerationSeconds')),
  });
}

/** int64 on the wire; beyond ±2^53 seconds nothing changes any more. */
function clamped(seconds: number | undefined): number | undefined {
  if (seconds === undefined) return undefined;
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Math.trunc(seconds)));
}
