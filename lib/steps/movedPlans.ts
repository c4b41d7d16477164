// Which live plans a change of the cluster may have moved, and the messages that have them looked at again.
import { hasPlan, planOnePod } from '../decide/livePlan.ts';
import { isSame } from '../decide/same.ts';

import type { PlannedPod } from '../model/plan.ts';
import { type RuleRef, ruleRef, type TaintRule } from '../model/rule.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Instant } from '../model/time.ts';
import { currentRules } from '../state/neighbourhood.ts';
import { readPlannedPodsOf } from '../state/planRows.ts';
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
  const rules = plannedRules(snapshot.rules);
  if (rules.length === 0) return [];
  const pods = rows.map((row) => row.key);
  const stored = await readPlannedPodsOf(state, rules.map(ruleRef), pods);
  const isMoved = (rule: TaintRule) =>
    rows.some((row) => {
      const planned = row.gone ? undefined : planOnePod(rule, row.object, { snapshot, now });
      const { headroom: _, ...before } = stored.get(`${ruleRef(rule)}|${row.key}`) ?? {};
      return !isSame(withoutTime(planned), withoutTime(before));
    });
  return rules.filter(isMoved).map(ruleRef);
}

/** Of the taints of one rule that do not evict the first is planned: all of them select the same devices. */
function plannedRules(rules: readonly TaintRule[]): readonly TaintRule[] {
  return [...Map.groupBy(rules.filter(hasPlan), ruleRef).values()].flatMap((taints) => taints[0] ?? []);
}

/** A plan of a rule with a time of its own moves with every second, and says the same. */
function withoutTime(planned: Partial<PlannedPod> | undefined): Partial<PlannedPod> {
  const { tolerated: _, ...rest } = planned ?? {};
  return rest;
}

/** Rules whose plan counts devices of one of these drivers. */
export async function plansOver(state: State, drivers: ReadonlySet<string>): Promise<readonly string[]> {
  if (drivers.size === 0) return [];
  const rules = plannedRules(await currentRules(state));
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
