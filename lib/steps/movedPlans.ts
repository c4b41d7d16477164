// Finds the live plans that a change of the cluster may affect, and requests their refresh.
import { consumedClaims } from '../decide/consume.ts';
import { picksByState } from '../decide/deviceMatch.ts';
import { planGround, planOnePod } from '../decide/livePlan.ts';
import { rulesFor } from '../decide/ruleIndex.ts';
import { hashOf } from '../mirror/ranges.ts';
import type { PlannedPod } from '../model/plan.ts';
import { type RuleRef, ruleRef, type TaintRule } from '../model/rule.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Instant } from '../model/time.ts';
import { currentRules } from '../state/currentRules.ts';
import type { PlannedFor } from '../state/planIndex.ts';
import type { PodRow } from '../state/podRows.ts';
import { askForReport, planReport } from '../state/reportRows.ts';
import type { State } from '../state/state.ts';
import { mapParallel } from './mapParallel.ts';
import type { StepDependencies } from './step.ts';

/** Changes come in bursts; one refresh after this delay covers all of them. */
const planDelay = 5000;

/** The rules with plans, and the snapshot to plan with. */
export interface PlansAsked {
  readonly snapshot: Snapshot;
  /** Taints that have, or may have, a plan. */
  readonly asking: readonly TaintRule[];
  readonly now: Instant;
}

export function plansAsked(snapshot: Snapshot, now: Instant): PlansAsked {
  const by = { settings: snapshot.settings, now };
  return { snapshot, now, asking: snapshot.rules.filter((rule) => planGround(rule, by) !== undefined) };
}

/**
 * The plans to store with a pod: those of effect None, because no listing records them, and those that cannot decide about the
 * pod. A rule that is held lists its pods.
 */
export function plansOf({ gone, object: pod }: PodRow, { snapshot, asking, now }: PlansAsked): readonly PlannedFor[] {
  if (gone || asking.length === 0) return [];
  const devices = consumedClaims(pod, snapshot).flatMap(({ allocation }) => allocation.devices);
  const mine = new Set(devices.flatMap((device) => rulesFor(device, asking, snapshot.recall)));
  return [...Map.groupBy(mine, ruleRef)].flatMap(([rule, taints]) => {
    const found = planOnePod(taints, pod, { snapshot, now });
    if (!found || (found.kind === 'Planned' && !taints.some(({ taint }) => taint.effect === 'None'))) return [];
    return [{ rule, sum: found.kind === 'Planned' ? sumOf(found.planned) : 0 }];
  });
}

/** Rules whose plan for a pod has changed. */
export function movedPlans(before: readonly PlannedFor[], after: readonly PlannedFor[]): readonly RuleRef[] {
  const isIn = (one: PlannedFor, plans: readonly PlannedFor[]) =>
    plans.some(({ rule, sum }) => rule === one.rule && sum === one.sum);
  const moved = [...before.filter((one) => !isIn(one, after)), ...after.filter((one) => !isIn(one, before))];
  return moved.map(({ rule }) => rule);
}

/** `tolerated` changes every second for a rule with a time of its own, and is left out of the sum. */
function sumOf({ tolerated: _, ...rest }: PlannedPod): number {
  return hashOf(JSON.stringify(rest));
}

/** Rules whose plan counts devices of one of these drivers. */
export async function plansOver(
  deps: StepDependencies,
  state: State,
  drivers: ReadonlySet<string>,
): Promise<readonly string[]> {
  if (drivers.size === 0) return [];
  const by = { settings: deps.settings, now: deps.clock.now() };
  const rules = (await currentRules(state)).filter((rule) => planGround(rule, by) === 'Standing');
  const isOver = ({ deviceSelector: selector }: TaintRule) =>
    selector !== undefined && (selector.driver === undefined || drivers.has(selector.driver));
  return rules.filter(isOver).map(ruleRef);
}

/** Rules that select devices of these drivers by state: a change of unused devices affects no pod, but the scheduler must know. */
export async function projectionsOver(
  deps: StepDependencies,
  state: State,
  drivers: ReadonlySet<string>,
): Promise<readonly string[]> {
  if (drivers.size === 0 || !deps.settings.projectRules) return [];
  const isOver = ({ deviceSelector: selector }: TaintRule) =>
    selector !== undefined && picksByState(selector) && (selector.driver === undefined || drivers.has(selector.driver));
  return (await currentRules(state)).filter(isOver).map(ruleRef);
}

/** Parallel writes of report rows. */
export const askedAtOnce = 100;

export async function askForPlans(deps: StepDependencies, state: State, rules: Iterable<string>): Promise<void> {
  const now = deps.clock.now();
  const at = now + planDelay;
  const asked = await mapParallel([...new Set(rules)], askedAtOnce, async (rule) =>
    (await askForReport(state, planReport(rule), { at, now })) === 'Asked' ? [rule] : [],
  );
  const { cluster } = state;
  await deps.queues.sendReport(asked.flat().map((rule) => ({ cluster, rule, plan: true, notBefore: at })));
}
