// The taints that a rule puts on devices, each with the time from which it counts.
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

/** One per taint. A taint of a PacedTaintRule has no time, and does not act, until the report stage has written one down. */
export function taintRulesOf(rule: AnyRule, classes: DeviceClasses = new Map()): readonly TaintRule[] {
  if (rule.kind === 'DeviceTaintRule') {
    const { actsSince, ...plain } = rule;
    return actsSince ? [{ ...plain, ...actingSince(actsSince, rule.taint) }] : [rule];
  }
  const { taints, seen, actsSince, ...common } = rule;
  const named = rule.deviceSelector?.deviceClassName;
  // Stryker disable next-line ConditionalExpression: no class goes without a name
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

/** What to remember of a rule: a taint that evicts already keeps its time, one that begins to gets this moment. */
export function actsSinceAfter(rule: AnyRule, known: ActsSince | undefined, now: Instant): ActsSince {
  const taints = rule.kind === 'DeviceTaintRule' ? [rule.taint] : rule.taints;
  return Object.fromEntries(taints.filter(evicts).map(({ key }) => [key, known?.[key] ?? now]));
}

/** What was written down of a taint as it is in the spec now. */
function writtenDown(taint: PacedTaint, seen: readonly SeenTaint[]): SeenTaint | undefined {
  return seen.find(
    (one) => one.key === taint.key && one.effect === taint.effect && one.specTimeAdded === taint.timeAdded,
  );
}

/**
 * status.taints as it has to be. A taint without a time of its own counts from its first sight; one whose effect was changed
 * and whose time was not, from the change (KEP-5055: so that a toleration's seconds begin when it starts to evict).
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

/** A rule evicts if one of its taints does, else it shows what it would do if one has effect None. */
export function effectOf(rule: RuleTaints): string {
  const effects = 'taint' in rule ? [rule.taint.effect] : rule.taints.map(({ effect }) => effect);
  return ['NoExecute', 'None'].find((effect) => effects.includes(effect)) ?? effects[0] ?? 'None';
}
