// Reads taints and tolerations.
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
    tolerationSeconds: toleration.optionalNumber('tolerationSeconds'),
  });
}
