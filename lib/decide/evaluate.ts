// The verdict on each pod of a snapshot, and the preview of a rule: the same call on another snapshot.
import { nameKey, type Uid } from '../model/identity.ts';
import type { DeviceTaintRule, Pod, ResourceClaim } from '../model/objects.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Reason, Verdict } from '../model/verdict.ts';
import { consumedClaims } from './consume.ts';
import { selects } from './select.ts';
import { taintsOf } from './taint.ts';
import { toleratedUntil } from './tolerate.ts';

/** Unscheduled pods are never touched; phase, readiness, priority and owner play no part (semantics.md section 4). */
export function evaluatePod(pod: Pod, snapshot: Snapshot): Verdict {
  if (!pod.nodeName) return { kind: 'Keep' };
  const findings = consumedClaims(pod, snapshot).map((claim) => examine(claim, snapshot));
  const because = findings.flatMap((finding) => finding.reasons);
  if (because.length > 0) return { kind: 'EvictAt', at: Math.min(...because.map((reason) => reason.at)), because };
  const why = findings.flatMap((finding) => finding.unknown)[0];
  return why ? { kind: 'Unknown', why } : { kind: 'Keep' };
}

interface Finding {
  readonly reasons: readonly Reason[];
  readonly unknown: readonly string[];
}

function examine(claim: ResourceClaim, snapshot: Snapshot): Finding {
  const reasons: Reason[] = [];
  const unknown: string[] = [];
  for (const { driver, pool, device: name, tolerations = [] } of claim.allocation?.devices ?? []) {
    const device = { driver, pool, device: name };
    for (const { origin, taint } of taintsOf(device, snapshot)) {
      const tolerated = toleratedUntil(taint, tolerations, snapshot.settings);
      if (tolerated.kind === 'Until') {
        reasons.push({
          origin,
          taint,
          device,
          claim: { namespace: claim.namespace, name: claim.name },
          at: tolerated.at,
        });
      }
      if (tolerated.kind === 'NoTimeAdded') unknown.push(`taint ${taint.key} of ${origin.name} has no timeAdded`);
    }
  }
  return { reasons, unknown };
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

export function preview(rule: DeviceTaintRule, snapshot: Snapshot): Preview {
  const acting: DeviceTaintRule = { ...rule, taint: { ...rule.taint, effect: 'NoExecute' } };
  const rules = [...snapshot.rules.filter((one) => one.uid !== rule.uid), acting];
  const evicted = snapshot.pods.filter((pod) => {
    if (pod.deletionTimestamp !== undefined) return false;
    const verdict = evaluatePod(pod, { ...snapshot, rules });
    return (
      verdict.kind === 'EvictAt' &&
      verdict.because.some(({ origin }) => origin.kind === 'Rule' && origin.uid === rule.uid)
    );
  });
  return {
    published: countPublished(rule, snapshot),
    allocated: [...snapshot.claims.values()]
      .flatMap((claim) => claim.allocation?.devices ?? [])
      .filter((device) => selects(rule.deviceSelector, device)).length,
    pods: evicted.length,
    namespaces: new Set(evicted.map((pod) => pod.namespace)).size,
    evicted: evicted.toSorted((a, b) => (nameKey(a) < nameKey(b) ? -1 : 1)),
  };
}

function countPublished(rule: DeviceTaintRule, snapshot: Snapshot): number {
  let count = 0;
  for (const { driver, name: pool, devices } of snapshot.pools.values()) {
    for (const device of devices.keys()) if (selects(rule.deviceSelector, { driver, pool, device })) count++;
  }
  return count;
}
