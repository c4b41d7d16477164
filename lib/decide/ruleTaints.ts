// The taints of a rule, each with the time from which it counts.
import type { DeviceClasses, DeviceTaint } from '../model/objects.ts';
import type {
  ActsSince,
  AnyRule,
  PacedTaint,
  PacedTaintRule,
  RuleTaints,
  SeenTaint,
  TaintRule,
} from '../model/rule.ts';
import type { Instant } from '../model/time.ts';
import { evicts } from './taint.ts';

/** One TaintRule per taint. A taint of a PacedTaintRule has no time and does not act until the report stage has recorded one in status. */
export function taintRulesOf(rule: AnyRule, classes: DeviceClasses = new Map()): readonly TaintRule[] {
  if (rule.kind === 'DeviceTaintRule') {
    const { actsSince, ...plain } = rule;
    return actsSince ? [{ ...plain, ...actingSince(actsSince, rule.taint) }] : [rule];
  }
  const { taints, seen, actsSince, ...common } = rule;
  const named = rule.deviceSelector?.deviceClassName;
  // Stryker disable next-line ConditionalExpression: every class has a name
  const deviceClass = named === undefined ? undefined : classes.get(named);
  return taints.map((written) => {
    const known = writtenDown(written, seen);
    const { timeAdded: _, ...taint } = written;
    return {
      ...common,
      taint: known ? { ...taint, timeAdded: known.timeAdded } : taint,
      ...(deviceClass === undefined ? {} : { deviceClass }),
      ...actingSince(actsSince, taint),
    };
  });
}

function actingSince(known: ActsSince | undefined, taint: DeviceTaint): Pick<TaintRule, 'actingSince'> {
  const since = evicts(taint) ? known?.[taint.key] : undefined;
  return since === undefined ? {} : { actingSince: since };
}

/** By taint key, since when the rule evicts: a known taint keeps its time, a new one gets `now`. */
export function actsSinceAfter(rule: AnyRule, known: ActsSince | undefined, now: Instant): ActsSince {
  const taints = rule.kind === 'DeviceTaintRule' ? [rule.taint] : rule.taints;
  return Object.fromEntries(taints.filter(evicts).map(({ key }) => [key, known?.[key] ?? now]));
}

/** The status entry of a taint whose spec is unchanged. */
function writtenDown(taint: PacedTaint, seen: readonly SeenTaint[]): SeenTaint | undefined {
  return seen.find(
    (one) => one.key === taint.key && one.effect === taint.effect && one.specTimeAdded === taint.timeAdded,
  );
}

/**
 * The desired status.taints. A taint without timeAdded counts from when it was first seen. If the effect was changed but timeAdded was not,
 * it counts from the change (KEP-5055: tolerationSeconds start when the taint starts to evict).
 */
export function seenTaints({ taints, seen }: PacedTaintRule, now: Instant): readonly SeenTaint[] {
  return taints.map((taint) => {
    const { key, effect, timeAdded } = taint;
    const known = writtenDown(taint, seen);
    if (known) return known;
    if (timeAdded === undefined) return { key, effect, timeAdded: now };
    const changed = seen.some((one) => one.key === key && one.specTimeAdded === timeAdded);
    return { key, effect, timeAdded: changed ? now : timeAdded, specTimeAdded: timeAdded };
  });
}

/** NoExecute if any taint evicts; else None, if any has it; else the first effect. */
export function effectOf(rule: RuleTaints): string {
  const effects = 'taint' in rule ? [rule.taint.effect] : rule.taints.map(({ effect }) => effect);
  return ['NoExecute', 'None'].find((effect) => effects.includes(effect)) ?? effects[0] ?? 'None';
}
