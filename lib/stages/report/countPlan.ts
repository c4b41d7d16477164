// Counts the pods of one rule's plan, page by page: each pod is evaluated as of now, with its PodDisruptionBudgets.
import { planOnePod } from '../../decide/livePlan.ts';
import { type NamespaceBudgets, withBudgets } from '../../decide/planReport.ts';
import { nothingPlanned, type PlanTally, tallyPlan } from '../../decide/planTally.ts';
import type { LimiterId } from '../../model/eviction.ts';
import { type RuleRef, ruleLimiter, ruleRef, type TaintRule } from '../../model/rule.ts';
import type { Instant } from '../../model/time.ts';
import { listedPages } from '../../state/listedRows.ts';
import { readNeighbourhood } from '../../state/neighbourhood.ts';
import { plannedPods } from '../../state/planIndex.ts';
import { type PodRow, readPods } from '../../state/podRows.ts';
import { isLive, type State } from '../../state/state.ts';
import { mapParallel } from '../../steps/mapParallel.ts';
import type { ClusterAccess, StepDependencies } from '../../steps/step.ts';

/** Namespaces whose PodDisruptionBudgets are read in parallel. */
const parallelReads = 4;

type Budgets = Map<string, NamespaceBudgets>;

/** `taints`: the planned taints of one rule. */
export async function countPlan(
  deps: StepDependencies,
  state: State,
  by: { readonly taints: readonly TaintRule[]; readonly access: ClusterAccess; readonly now: Instant },
): Promise<PlanTally> {
  const { taints, now, access } = by;
  const known: Budgets = new Map();
  let tally = nothingPlanned;
  for await (const page of podsInPlan(state, taints)) {
    const rows = page.filter(isLive);
    const snapshot = await readNeighbourhood(state, rows, deps.settings);
    const found = snapshot.pods.flatMap((pod) => planOnePod(taints, pod, { snapshot, now }) ?? []);
    const planned = found.filter((one) => one.kind === 'Planned');
    await readBudgets(access, known, new Set(planned.map((one) => one.planned.pod.namespace)));
    const budgeted = withBudgets(
      planned.map((one) => one.planned),
      known,
    );
    const counted = planned.flatMap((one, i) => (budgeted[i] ? [{ ...one, budgeted: budgeted[i] }] : []));
    tally = tallyPlan(tally, { found: counted, undecided: found.length - planned.length });
  }
  return tally;
}

/** Each pod once, even if the plan and several taints list it: the pod's row names the lists that already yielded it. */
async function* podsInPlan(state: State, taints: readonly TaintRule[]): AsyncGenerator<readonly PodRow[]> {
  const [plans, limiters] = [new Set<RuleRef>(), new Set<LimiterId>()];
  const isFresh = ({ planned, listed }: PodRow) =>
    !planned.some(({ rule }) => plans.has(rule)) && !listed.some(({ limiter }) => limiters.has(limiter));
  for (const rule of new Set(taints.map(ruleRef))) {
    for await (const pods of plannedPods(state, rule)) yield (await readPods(state, pods)).filter(isFresh);
    plans.add(rule);
  }
  for (const limiter of new Set(taints.filter(({ taint }) => taint.effect !== 'None').map(ruleLimiter))) {
    for await (const listed of listedPages(state, limiter)) {
      const keys = new Set(listed.map(({ pod }) => pod));
      yield (await readPods(state, [...keys])).filter(isFresh);
    }
    limiters.add(limiter);
  }
}

async function readBudgets({ budgets }: ClusterAccess, known: Budgets, wanted: ReadonlySet<string>): Promise<void> {
  const missing = [...wanted].filter((namespace) => !known.has(namespace));
  await mapParallel(missing, parallelReads, async (namespace) => {
    const answer = await budgets.read(namespace);
    known.set(namespace, answer.kind === 'Known' ? answer : { kind: 'Unknown', why: answer.why });
  });
}
