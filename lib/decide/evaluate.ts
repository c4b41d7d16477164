// The verdict on each pod of a snapshot, and the preview of a rule: the same call on another snapshot.
import { deviceKey, nameKey, type Uid } from '../model/identity.ts';
import type { DeviceTaintRule, Pod } from '../model/objects.ts';
import { compareText, type Snapshot } from '../model/snapshot.ts';
import { farFuture } from '../model/time.ts';
import type { Reason, TaintOrigin, Verdict } from '../model/verdict.ts';
import { type AllocatedClaim, consumedClaims } from './consume.ts';
import { selects } from './select.ts';
import { taintsOf } from './taint.ts';
import { toleratedUntil } from './tolerate.ts';

/** Unscheduled pods are never touched; phase, readiness, priority and owner play no part (semantics.md section 4). */
export function evaluatePod(pod: Pod, snapshot: Snapshot): Verdict {
  if (!pod.nodeName) return { kind: 'Keep' };
  const finding: Finding = { reasons: new Map() };
  for (const claim of consumedClaims(pod, snapshot)) examine(claim, snapshot, finding);
  if (finding.reasons.size > 0) {
    const because = [...finding.reasons.values()].sort(compareReasons);
    return { kind: 'EvictAt', at: because.reduce((at, reason) => Math.min(at, reason.at), farFuture), because };
  }
  return finding.unknown === undefined ? { kind: 'Keep' } : { kind: 'Unknown', why: finding.unknown };
}

interface Finding {
  /** By origin. */
  readonly reasons: Map<string, Reason>;
  unknown?: string;
}

/** One untolerated taint of one device is enough, even among many devices (semantics.md 3.4, 3.5). */
function examine(claim: AllocatedClaim, snapshot: Snapshot, finding: Finding): void {
  for (const { driver, pool, device: name, tolerations = [] } of claim.allocation.devices) {
    const device = { driver, pool, device: name };
    for (const { origin, taint } of taintsOf(device, snapshot)) {
      const tolerated = toleratedUntil(taint, tolerations, snapshot.settings);
      if (tolerated.kind === 'Unknown') finding.unknown ??= `${describe(origin)}: ${tolerated.why}`;
      if (tolerated.kind !== 'Until') continue;
      const from = { namespace: claim.namespace, name: claim.name };
      keepEarliest(finding.reasons, { origin, taint, device, claim: from, at: tolerated.at });
    }
  }
}

/** A rule counts once per pod, a slice taint once per device; the device where it acts first stands for the others. */
function keepEarliest(reasons: Map<string, Reason>, reason: Reason): void {
  const { origin } = reason;
  const key = origin.kind === 'Rule' ? origin.uid : `${deviceKey(reason.device)}|${origin.name}|${origin.index}`;
  const known = reasons.get(key);
  if (!known || reason.at < known.at) reasons.set(key, reason);
}

/**
 * Rules by name, then slice taints by driver, pool and device; for reports only (semantics.md 2.2). Those of one device are found
 * in the order of their slices and stay in it.
 */
function compareReasons(a: Reason, b: Reason): number {
  if (a.origin.kind !== b.origin.kind) return a.origin.kind === 'Rule' ? -1 : 1;
  return a.origin.kind === 'Rule'
    ? compareText(a.origin.name, b.origin.name)
    : compareText(deviceKey(a.device), deviceKey(b.device));
}

function describe(origin: TaintOrigin): string {
  return origin.kind === 'Rule' ? `DeviceTaintRule ${origin.name}` : `ResourceSlice ${origin.name}`;
}

/** One verdict per pod, by UID. */
export function evaluate(snapshot: Snapshot): ReadonlyMap<Uid, Verdict> {
  return new Map(snapshot.pods.map((pod) => [pod.uid, evaluatePod(pod, snapshot)]));
}

/** What a rule would do if its effect were NoExecute (semantics.md 6.2). */
export interface Preview {
  /** Devices of current generations that the selector picks. */
  readonly published: number;
  /** Allocation results that it picks; a device shared by two claims counts twice. */
  readonly allocated: number;
  readonly pods: number;
  readonly namespaces: number;
  readonly evicted: readonly Pod[];
}

/**
 * Evaluates the pods as if the rule alone were there with effect NoExecute: taints are additive, so no other rule and no slice
 * could change whether this one reaches a pod.
 */
export function preview(rule: DeviceTaintRule, snapshot: Snapshot): Preview {
  const acting: DeviceTaintRule = { ...rule, taint: { ...rule.taint, effect: 'NoExecute' } };
  const alone: Snapshot = { ...snapshot, rules: [acting], pools: new Map() };
  const evicted = snapshot.pods.filter((pod) => isCounted(pod) && evaluatePod(pod, alone).kind === 'EvictAt');
  return {
    published: countPublished(rule, snapshot),
    allocated: countAllocated(rule, snapshot),
    pods: evicted.length,
    namespaces: new Set(evicted.map((pod) => pod.namespace)).size,
    evicted: evicted.toSorted((a, b) => compareText(nameKey(a), nameKey(b))),
  };
}

/** Terminating pods are evaluated like any other, but nobody counts them as still to be evicted (semantics.md 6.2). */
export function isCounted(pod: Pod): boolean {
  return pod.deletionTimestamp === undefined;
}

function countAllocated(rule: DeviceTaintRule, snapshot: Snapshot): number {
  let count = 0;
  for (const claim of snapshot.claims.values()) {
    for (const device of claim.allocation?.devices ?? []) if (selects(rule.deviceSelector, device)) count++;
  }
  return count;
}

function countPublished(rule: DeviceTaintRule, snapshot: Snapshot): number {
  let count = 0;
  for (const { driver, name: pool, devices } of snapshot.pools.values()) {
    for (const device of devices.keys()) if (selects(rule.deviceSelector, { driver, pool, device })) count++;
  }
  return count;
}
