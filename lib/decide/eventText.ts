// Events on pods: upstream's type, reason and text first, then rule, taint and device. Event names are deterministic, so a repeated step
// writes the same Event.

import type { Ledger } from '../model/eviction.ts';
import type { PodRef } from '../model/identity.ts';
import type { ClaimProblem, ResourceClaim } from '../model/objects.ts';
import { isStrippedSlice, type ObjectProjection } from '../model/projection.ts';
import type { EventReason } from '../model/reasons.ts';
import type { EventToRecord } from '../model/status.ts';
import { stopCommand } from '../model/stop.ts';
import type { Instant } from '../model/time.ts';
import { describeOrigin, type Reason } from '../model/verdict.ts';
import { describeTaint } from './taintText.ts';

/** Reason of both Events (docs/reference/rules.md 5.1 and 4.3). */
export const evictionEventReason: EventReason = 'DeviceTaintManagerEviction';

/** API limit on an Event's message, in bytes; names and keys are ASCII. */
export const longestMessage = 1024;

/** Object names have at most 253 characters; the suffix takes 17. */
const longestPodPart = 236;

/** For a reader who sees pods disappear and has only kubectl. */
export const stopHelp = `. To stop all evictions in this cluster: ${stopCommand}`;

export interface EventFacts {
  readonly pod: PodRef;
  readonly ledger: Pick<Ledger, 'because'>;
  readonly at: Instant;
}

export function formatEviction({ pod, ledger, at }: EventFacts): EventToRecord {
  const name = eventName(pod, 'evict');
  const message = withReasons('Marking for deletion', ledger.because, stopHelp);
  return { name, regarding: pod, type: 'Normal', reason: evictionEventReason, message, at };
}

/** `attempt` distinguishes several cancellations of one pod. */
export function formatCancellation({
  pod,
  ledger,
  at,
  attempt,
}: EventFacts & { readonly attempt: number }): EventToRecord {
  const name = eventName(pod, `cancel ${attempt}`);
  const message = withReasons('Cancelling deletion', ledger.because);
  return { name, regarding: pod, type: 'Normal', reason: evictionEventReason, message, at };
}

/** Why a due pod is kept; one Event per distinct label text. */
export function formatWayProblem(pod: PodRef, problem: string, at: Instant): EventToRecord {
  const message = `Not evicted: ${problem}.`;
  return {
    name: eventName(pod, message),
    regarding: pod,
    type: 'Warning',
    reason: 'EvictionModeUnreadable',
    message,
    at,
  };
}

/** Errors in a claim's annotations; one Event per distinct annotation text. */
export function formatClaimProblem(claim: ResourceClaim, problem: ClaimProblem, at: Instant): EventToRecord {
  const { namespace, name, uid } = claim;
  const regarding = { kind: 'ResourceClaim', namespace, name, uid } as const;
  const said = `${problem.why} ${JSON.stringify(claim.annotations)}`;
  return {
    name: eventName(regarding, said),
    regarding,
    type: 'Warning',
    reason: problem.reason,
    message: problem.why,
    at,
  };
}

/** Why Sluice does not act on an object; one Event per object. */
export function formatRefusal(object: ObjectProjection, at: Instant): EventToRecord {
  const { kind, name, uid } = object;
  const namespace = 'namespace' in object ? { namespace: object.namespace } : {};
  const result = isStrippedSlice(object)
    ? 'so Sluice keeps only the names and taints of its devices: rules that read their attributes do not act on them'
    : 'so Sluice cannot keep it: pods that depend on it are not evicted';
  const message = `${kind} ${name} is larger than 350 KB, ${result}. Make it smaller.`;
  const part = eventName({ name, uid }, message);
  return {
    name: part,
    regarding: { kind, ...namespace, name, uid },
    type: 'Warning',
    reason: 'ObjectRefused',
    message,
    at,
  };
}

function withReasons(start: string, because: readonly Reason[], help = ''): string {
  const parts = [...new Set(because.map(describeReason))];
  const message = parts.length === 0 ? start : `${start}: ${parts.join('; ')}`;
  const room = longestMessage - help.length;
  return `${message.length <= room ? message : `${message.slice(0, room - 3)}...`}${help}`;
}

/** `DeviceTaintRule bad-gpus: taint example.com/bad=yes:NoExecute on device gpu.example.com/node-1/gpu-0`. */
export function describeReason({ origin, taint, device }: Reason): string {
  return `${describeOrigin(origin)}: taint ${describeTaint(taint)} on device ${device.driver}/${device.pool}/${device.device}`;
}

/** Deterministic: equal for the same pod and text. */
export function eventName(pod: Pick<PodRef, 'name' | 'uid'>, what: string): string {
  const id = `${pod.uid} ${what}`;
  return `${pod.name.slice(0, longestPodPart)}.${hash(id, 0x811c9dc5)}${hash(id, 0x01234567)}`;
}

/** FNV-1a, 32 bits as 8 hex digits; a name, not a secret. */
function hash(text: string, seed: number): string {
  let value = seed;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return (value >>> 0).toString(16).padStart(8, '0');
}
