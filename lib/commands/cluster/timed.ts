// A snapshot in which every NoExecute taint has a time, so that pods are counted before Sluice has recorded when it saw the taint.
import type { TaintRule } from '../../model/rule.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import type { Instant } from '../../model/time.ts';

/** Taints without a recorded time act from `now` on; the others keep theirs. */
export function timed(snapshot: Snapshot, now: Instant): Snapshot {
  const { rules, agentTaints } = snapshot;
  const agents = [...(agentTaints ?? [])];
  const isUntimed = rules.some(hasNoTime) || agents.some(([, taints]) => taints.some(hasNoTime));
  if (!isUntimed) return snapshot;
  return {
    ...snapshot,
    rules: rules.map((rule) => timedRule(rule, now)),
    agentTaints: new Map(agents.map(([device, taints]) => [device, taints.map((one) => timedRule(one, now))])),
  };
}

/** A rule or an entry of a DeviceTaintSlice. */
export function timedRule<T extends Pick<TaintRule, 'taint'>>(one: T, now: Instant): T {
  return hasNoTime(one) ? { ...one, taint: { ...one.taint, timeAdded: now } } : one;
}

function hasNoTime({ taint }: Pick<TaintRule, 'taint'>): boolean {
  return taint.effect === 'NoExecute' && taint.timeAdded === undefined;
}
