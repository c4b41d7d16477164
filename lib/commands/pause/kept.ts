// Counts pods that a pause keeps and that would be evicted without it; pure.
import { evaluatePod } from '../../decide/evaluate.ts';
import { waysUnder } from '../../decide/mode.ts';
import { isSelected, subjectOf } from '../../decide/policy.ts';
import { policyOf, sliceSubject } from '../../decide/rate.ts';
import type { LimiterId } from '../../model/eviction.ts';
import type { Pod } from '../../model/objects.ts';
import { ruleLimiter } from '../../model/rule.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import type { Instant } from '../../model/time.ts';
import { originKey, type Reason } from '../../model/verdict.ts';
import { countText } from '../../view/words.ts';
import { timed } from '../cluster/timed.ts';
import { isHeld, type Seen } from '../cluster/verdicts.ts';
import { parseRuleName } from '../get/rules.ts';
import type { LiveSubject } from './subject.ts';

/** Terminating pods do not count; those of taints that Sluice has not seen yet do. */
export function countKept(subject: LiveSubject, seen: Snapshot): number {
  return podsKept(subject, seen).length;
}

/** `going`: of these pods, those that another taint evicts all the same. */
export function keptUnder(
  subject: LiveSubject,
  { snapshot, ...seen }: Seen,
  now: Instant,
): { readonly kept: number; readonly going: number } {
  const pods = podsKept(subject, snapshot);
  if (subject.kind === 'Stop') return { kept: pods.length, going: 0 };
  const seenTimed = { ...seen, snapshot: timed(snapshot, 0) };
  const kept = pods.filter(({ pod }) => isHeld(pod, seenTimed, now)).length;
  return { kept, going: pods.length - kept };
}

/** `142 pods are kept`, and what becomes of the others: `6 more pods are evicted for other taints`, or nothing. */
export function keptTexts(kept: number, going: number): { readonly kept: string; readonly more: string } {
  const isOrAre = (count: number) => (count === 1 ? 'is' : 'are');
  return {
    kept: `${countText(kept, 'pod')} ${isOrAre(kept)} kept`,
    more: going === 0 ? '' : `${countText(going, 'more pod')} ${isOrAre(going)} evicted for other taints`,
  };
}

export interface KeptPod {
  readonly pod: Pod;
  /** The taints for which the pod would be evicted. */
  readonly limiters: readonly LimiterId[];
  /** Those of `limiters` that do not belong to the subject of the pause. */
  readonly others: readonly LimiterId[];
}

export function podsKept(subject: LiveSubject, seen: Snapshot): readonly KeptPod[] {
  const snapshot = timed(seen, 0);
  return snapshot.pods.flatMap((pod) => {
    if (pod.deletionTimestamp !== undefined) return [];
    if (subject.kind === 'namespace' && pod.namespace !== subject.name) return [];
    const verdict = evaluatePod(pod, snapshot);
    if (verdict.kind !== 'EvictAt') return [];
    const own = new Set(verdict.because.filter((reason) => concerns(reason, subject, snapshot)).map(originKey));
    if (own.size === 0) return [];
    const limiters = [...new Set(verdict.because.map(originKey))];
    const wayOf = waysUnder(pod, snapshot);
    // Kept by its mode, with or without a pause.
    const isSkipped = limiters.every((one) => wayOf(one).mode === 'Skip' && wayOf(one).paused === undefined);
    return isSkipped ? [] : [{ pod, limiters, others: limiters.filter((one) => !own.has(one)) }];
  });
}

/** Whether the policy of that name sets how the taint evicts, or pauses it. */
function isUnder(reason: Reason, name: string, snapshot: Snapshot): boolean {
  const limiter = originKey(reason);
  const policy = snapshot.policies?.find((one) => one.name === name);
  if (!policy?.pauseOnly) return policyOf(limiter, snapshot)?.name === name;
  const rule = snapshot.rules.find((one) => ruleLimiter(one) === limiter);
  return isSelected(policy.taints, rule ? subjectOf(rule) : sliceSubject(limiter));
}

function concerns(reason: Reason, subject: Parameters<typeof countKept>[0], snapshot: Snapshot): boolean {
  switch (subject.kind) {
    case 'Stop':
    case 'namespace':
      return true;
    case 'taint':
      return reason.taint.key === subject.name;
    case 'rule': {
      const { kind, name } = parseRuleName(subject.name);
      const { origin } = reason;
      const ruleKind = origin.kind === 'Rule' ? (origin.ruleKind ?? 'DeviceTaintRule') : undefined;
      return origin.name === name && ruleKind !== undefined && (kind ?? ruleKind) === ruleKind;
    }
    case 'policy':
      return isUnder(reason, subject.name, snapshot);
    default:
      return subject satisfies never;
  }
}
