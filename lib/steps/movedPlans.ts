// Which live plans a change of the cluster may have moved, and the messages that have them looked at again.
import { planGround, planOnePod } from '../decide/livePlan.ts';
import { isSame } from '../decide/same.ts';

import type { PlannedPod } from '../model/plan.ts';
import { type RuleRef, ruleRef, type TaintRule } from '../model/rule.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Instant } from '../model/time.ts';
import { currentRules } from '../state/neighbourhood.ts';
import { havePlans, readPlannedPodsOf } from '../state/planRows.ts';
import type { PodRow } from '../state/podRows.ts';
import { askForReport, planReport } from '../state/reportRows.ts';
import type { State } from '../state/state.ts';
import type { StepDependencies } from './step.ts';

/** Changes come in crowds; a plan is looked at once for all of them. */
const planDelay = 5000;

/** Rules whose plan says something else of one of these pods than their neighbourhood does. */
export async function movedPlans(
  state: State,
  by: { readonly rows: readonly PodRow[]; readonly snapshot: Snapshot; readonly now: Instant },
): Promise<readonly RuleRef[]> {
  const { rows, snapshot, now } = by;
  const planned = await plannedTaints(state, snapshot.rules, { settings: snapshot.settings, now });
  const refs = [...planned.keys()];
  if (refs.length === 0) return [];
  const pods = rows.map((row) => row.key);
  const stored = await readPlannedPodsOf(state, refs, pods);
  const isMoved = (ref: RuleRef) =>
    rows.some((row) => {
      const taints = planned.get(ref) ?? [];
      const next = row.gone ? undefined : planOnePod(taints, row.object, { snapshot, now });
      const { headroom: _, ...before } = stored.get(`${ref}|${row.key}`) ?? {};
      return !isSame(withoutTime(next), withoutTime(before));
    });
  return refs.filter(isMoved);
}

/** By rule the taints that have a plan. Whether one waits for an approval shows in its having a plan already: a report began it. */
async function plannedTaints(
  state: State,
  rules: readonly TaintRule[],
  by: Parameters<typeof planGround>[1],
): Promise<ReadonlyMap<RuleRef, readonly TaintRule[]>> {
  const grounds = new Map(rules.map((rule) => [rule, planGround(rule, by)]));
  const perhaps = rules.filter((rule) => grounds.get(rule) === 'PerhapsUnapproved').map(ruleRef);
  const begun = await havePlans(state, perhaps);
  const isPlanned = (rule: TaintRule) =>
    grounds.get(rule) === 'Standing' || (grounds.get(rule) === 'PerhapsUnapproved' && begun.has(ruleRef(rule)));
  return Map.groupBy(rules.filter(isPlanned), ruleRef);
}

/** A plan of a rule with a time of its own moves with every second, and says the same. */
function withoutTime(planned: Partial<PlannedPod> | undefined): Partial<PlannedPod> {
  const { tolerated: _, ...rest } = planned ?? {};
  return rest;
}

/** Rules whose plan counts devices of one of these drivers. */
export async function plansOver(
  deps: StepDependencies,
  state: State,
  drivers: ReadonlySet<string>,
): Promise<readonly string[]> {
  if (drivers.size === 0) return [];
  const by = { settings: deps.settings, now: deps.clock.now() };
  const planned = await plannedTaints(state, await currentRules(state), by);
  const rules = [...planned.values()].flat();
  const isOver = ({ deviceSelector: selector }: TaintRule) =>
    selector !== undefined && (selector.driver === undefined || drivers.has(selector.driver));
  return rules.filter(isOver).map(ruleRef);
}

export async function askForPlans(deps: StepDependencies, state: State, rules: Iterable<string>): Promise<void> {
  const now = deps.clock.now();
  const at = now + planDelay;
  const asked = await Promise.all(
    [...new Set(rules)].map(async (rule) =>
      (await askForReport(state, planReport(rule), { at, now })) === 'Asked' ? [rule] : [],
    ),
  );
  const { cluster } = state;
  await deps.queues.sendReport(asked.flat().map((rule) => ({ cluster, rule, plan: true, notBefore: at })));
}
