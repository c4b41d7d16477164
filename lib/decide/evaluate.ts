// The verdict on each pod of a snapshot, and a rule's preview, which is the same evaluation of a modified snapshot.
import { deviceKey, nameKey, type Uid } from '../model/identity.ts';
import type { Pod } from '../model/objects.ts';
import type { TaintRule } from '../model/rule.ts';
import { compareText, type Snapshot } from '../model/snapshot.ts';
import { farFuture, type Instant } from '../model/time.ts';
import { describeOrigin, originKey, type Reason, type Verdict } from '../model/verdict.ts';
import { tolerationsOf, unreadTolerations } from './annotatedTolerations.ts';
import { type AllocatedClaim, consumedClaims } from './consume.ts';
import { isInScope } from './podScope.ts';
import { selectedIn } from './selected.ts';
import { type EffectiveTaint, taintsOf } from './taint.ts';
import { toleratedUntil } from './tolerate.ts';
import { unknownTo } from './unknown.ts';

/** Unscheduled pods are kept; phase, readiness, priority and owner are not considered (docs/reference/rules.md 3.1). */
export function evaluatePod(pod: Pod, snapshot: Snapshot): Verdict {
  if (!pod.nodeName) return { kind: 'Keep' };
  const unknown = unknownTo(pod, snapshot);
  if (unknown !== undefined) return { kind: 'Unknown', why: unknown, isPassing: true };
  const finding: Finding = { reasons: new Map(), unknown: undefined, isPassing: false };
  for (const claim of consumedClaims(pod, snapshot)) examine({ pod, claim }, snapshot, finding);
  if (finding.reasons.size > 0) {
    const because = [...finding.reasons.values()].sort(compareReasons);
    return { kind: 'EvictAt', at: because.reduce((at, reason) => Math.min(at, reason.at), farFuture), because };
  }
  if (finding.unknown !== undefined) return { kind: 'Unknown', why: finding.unknown };
  return finding.isPassing ? { kind: 'Keep', isPassing: true } : { kind: 'Keep' };
}

interface Finding {
  /** By origin. */
  readonly reasons: Map<string, Reason>;
  unknown: string | undefined;
  /** A taint reaches the pod and will evict it once the taint's time is recorded. */
  isPassing: boolean;
}

/** One untolerated taint of one device is enough, even among many devices (docs/reference/rules.md 1.6 and 4.1). */
function examine({ pod, claim }: { pod: Pod; claim: AllocatedClaim }, snapshot: Snapshot, finding: Finding): void {
  for (const result of claim.allocation.devices) {
    const device = { driver: result.driver, pool: result.pool, device: result.device };
    const tolerations = tolerationsOf(result, claim);
    const unread = unreadTolerations(result, claim);
    const { taints, undecided, isPassing } = taintsOf(device, snapshot);
    finding.isPassing ||= isPassing;
    finding.unknown ??= undecided[0];
    for (const effective of taints) {
      const { origin, taint } = effective;
      if (!isInScope(pod, effective.pods)) continue;
      const tolerated = toleratedUntil(taint, tolerations, snapshot.settings);
      if (tolerated.kind === 'Unknown') finding.unknown ??= `${describeOrigin(origin)}: ${tolerated.why}`;
      if (tolerated.kind !== 'Until') continue;
      if (unread !== undefined) {
        finding.unknown ??= unread;
        continue;
      }
      const from = { namespace: claim.namespace, name: claim.name };
      keepEarliest(finding.reasons, { origin, taint, device, claim: from, ...delayedTo(tolerated.at, effective) });
    }
  }
}

/** A policy only delays the due time; the pod stays listed. */
function delayedTo(at: Instant, { delayed }: EffectiveTaint): Pick<Reason, 'at' | 'delay'> {
  return delayed && delayed.notBefore > at ? { at: delayed.notBefore, delay: delayed.delay } : { at };
}

/** A rule counts once per pod, a slice taint once per device; of several devices the one with the earliest time is kept. */
function keepEarliest(reasons: Map<string, Reason>, reason: Reason): void {
  const { origin } = reason;
  const key =
    origin.kind === 'Rule'
      ? originKey(reason)
      : `${deviceKey(reason.device)}|${describeOrigin(origin)}|${origin.index}`;
  const known = reasons.get(key);
  if (!known || reason.at < known.at) reasons.set(key, reason);
}

/**
 * Rules by name, then slice taints by driver, pool and device; for reports only (docs/reference/rules.md 1.4). The sort is stable, so
 * taints of one device keep the order of their slices.
 */
function compareReasons(a: Reason, b: Reason): number {
  if (a.origin.kind !== b.origin.kind) return a.origin.kind === 'Rule' ? -1 : 1;
  return a.origin.kind === 'Rule'
    ? compareText(a.origin.name, b.origin.name)
    : compareText(deviceKey(a.device), deviceKey(b.device));
}

/** One verdict per pod, by UID of the pod. */
export function evaluate(snapshot: Snapshot): ReadonlyMap<Uid, Verdict> {
  return new Map(snapshot.pods.map((pod) => [pod.uid, evaluatePod(pod, snapshot)]));
}

/** What a rule would do if its effect were NoExecute (docs/reference/rules.md 6.2). */
export interface Preview {
  /** Selected devices of current pool generations. */
  readonly published: number;
  /** Selected allocation results; a device shared by two claims counts twice. */
  readonly allocated: number;
  readonly pods: number;
  readonly namespaces: number;
  readonly evicted: readonly Pod[];
}

/**
 * Evaluates the pods as if only this rule existed, with effect NoExecute. Taints are additive, so no other rule or slice can change whether
 * this rule reaches a pod.
 */
export function preview(rule: TaintRule, snapshot: Snapshot): Preview {
  const acting: TaintRule = { ...rule, taint: { ...rule.taint, effect: 'NoExecute' } };
  const alone: Snapshot = { ...snapshot, rules: [acting], nativeSlices: 'Watched', agentTaints: new Map() };
  const { published, allocated } = selectedIn(rule, snapshot);
  const evicted = snapshot.pods.filter((pod) => isCounted(pod) && evaluatePod(pod, alone).kind === 'EvictAt');
  return {
    published,
    allocated,
    pods: evicted.length,
    namespaces: new Set(evicted.map((pod) => pod.namespace)).size,
    evicted: evicted.toSorted((a, b) => compareText(nameKey(a), nameKey(b))),
  };
}

/** Terminating pods are evaluated too, but do not count as pending evictions (docs/reference/rules.md 6.1). */
export function isCounted(pod: Pod): boolean {
  return pod.deletionTimestamp === undefined;
}
