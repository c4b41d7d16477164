// Which live plans a change of the cluster may have moved, and the messages that have them looked at again.
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

/** Changes come in crowds; a plan is looked at once for all of them. */
const planDelay = 5000;

/** What plans say of some pods. */
export interface PlansAsked {
  readonly snapshot: Snapshot;
  /** Taints that have a plan, or may have one. */
  readonly asking: readonly TaintRule[];
  readonly now: Instant;
}

export function plansAsked(snapshot: Snapshot, now: Instant): PlansAsked {
  const by = { settings: snapshot.settings, now };
  return { snapshot, now, asking: snapshot.rules.filter((rule) => planGround(rule, by) !== undefined) };
}

/**
 * The plans that find a pod: those of effect None, because nothing else lists it for them, and those that cannot decide
 * about it. A rule that is held lists its pods.
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

/** Rules whose plan says something else of a pod than before. */
export function movedPlans(before: readonly PlannedFor[], after: readonly PlannedFor[]): readonly RuleRef[] {
  const isIn = (one: PlannedFor, plans: readonly PlannedFor[]) =>
    plans.some(({ rule, sum }) => rule === one.rule && sum === one.sum);
  const moved = [...before.filter((one) => !isIn(one, after)), ...after.filter((one) => !isIn(one, before))];
  return moved.map(({ rule }) => rule);
}

/** A plan of a rule with a time of its own moves with every second, and says the same. */
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

/** Rules that follow the state of devices of one of these drivers: devices that are not used move no pod, and are told to the scheduler. */
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

/** Reports whose rows are written side by side. */
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
