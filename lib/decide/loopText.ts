// Texts about a pod that is kept because its owner's pods return to the same device.
import type { Loop } from '../model/eviction.ts';
import { deviceKey } from '../model/identity.ts';
import type { Pod } from '../model/objects.ts';
import type { EvictionPolicy } from '../model/policy.ts';
import type { EventToRecord } from '../model/status.ts';
import { formatInstant, type Instant } from '../model/time.ts';
import type { Reason } from '../model/verdict.ts';
import { describeReason, eventName, longestMessage } from './eventText.ts';
import { setOf } from './group.ts';
import { limiterOf } from './limiter.ts';
import { loopLimitsOf } from './loop.ts';

export interface LoopFacts {
  readonly pod: Pod;
  readonly because: readonly Reason[];
  readonly loop: Loop;
  /** Absent where no policy selects the taint. */
  readonly policy: EvictionPolicy | undefined;
  readonly at: Instant;
}

/** An Event on the pod, one for each time that the pod is kept. */
export function formatLoop({ pod, because, loop, policy, at }: LoopFacts): EventToRecord {
  const { namespace, name, uid } = pod;
  const ref = { namespace, name, uid };
  const owner = ownerText(pod);
  const reason = because.find((one) => limiterOf(one) === loop.limiter && deviceKey(one.device) === loop.device);
  const why = reason ? ` (${describeReason(reason)})` : '';
  const minutes = (loopLimitsOf(policy)?.window ?? 0) / 60_000;
  const message =
    `Kept until ${formatInstant(loop.until)}: pods of ${owner} came back ${loop.times} times within ${minutes} min to the device that they were evicted from${why}.` +
    ' Let the scheduler know the taint, by a native DeviceTaintRule or an effect on the device that it reads; or take away the toleration that lets them in; or fix the device and lift the taint.' +
    (policy ? ` EvictionPolicy ${policy.name} sets loopLimit.` : ' An EvictionPolicy can set another loopLimit.');
  return {
    name: eventName(ref, `loop ${loop.until}`),
    regarding: ref,
    type: 'Warning',
    reason: 'EvictionLoop',
    message: message.length <= longestMessage ? message : `${message.slice(0, longestMessage - 3)}...`,
    at,
  };
}

/** For `sluice why`. */
export function describeLoop({ device, times, until }: Loop): string {
  return `kept: pods of its owner came back ${times} times to device ${device.replaceAll('|', '/')}; tried again from ${formatInstant(until)}`;
}

/** The JobSet or LeaderWorkerSet, if any, since it outlives its Jobs and StatefulSets. */
function ownerText(pod: Pod): string {
  const owner = setOf(pod) ?? pod.controller;
  return owner ? `${owner.kind} ${owner.name}` : 'the same owner';
}
