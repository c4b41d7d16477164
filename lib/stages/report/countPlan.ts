// Counts the pods of one rule's plan a page at a time: each is evaluated as it is now, with its budgets.
import { planOnePod } from '../../decide/livePlan.ts';
import { type NamespaceBudgets, withBudgets } from '../../decide/planReport.ts';
import { nothingPlanned, type PlanTally, tallyPlan } from '../../decide/planTally.ts';
import { ruleLimiter, ruleRef, type TaintRule } from '../../model/rule.ts';
import type { Instant } from '../../model/time.ts';
import { listedPages } from '../../state/limiterRows.ts';
import { readNeighbourhood } from '../../state/neighbourhood.ts';
import { plannedPods } from '../../state/planIndex.ts';
import { readPods } from '../../state/podRows.ts';
import { isLive, type State } from '../../state/state.ts';
import { mapParallel } from '../../steps/mapParallel.ts';
import type { ClusterAccess, StepDependencies } from '../../steps/step.ts';

/** Namespaces whose budgets are read at the same time. */
const parallelReads = 4;

type Budgets = Map<string, NamespaceBudgets>;

/** `taints`: those of one rule that are planned. */
export async function countPlan(
  deps: StepDependencies,
  state: State,
  by: { readonly taints: readonly TaintRule[]; readonly access: ClusterAccess; readonly now: Instant },
): Promise<PlanTally> {
  const { taints, now, access } = by;
  const known: Budgets = new Map();
  let tally = nothingPlanned;
  for await (const keys of podsInPlan(state, taints)) {
    const rows = (await readPods(state, keys)).filter(isLive);
    const snapshot = await readNeighbourhood(state, rows, deps.settings);
    const found = snapshot.pods.flatMap((pod) => planOnePod(taints, pod, { snapshot, now }) ?? []);
    const planned = found.filter((one) => one.kind === 'Planned');
    await readBudgets(access, known, new Set(planned.map((one) => one.planned.pod.namespace)));
    const budgeted = withBudgets(
      planned.map((one) => one.planned),
      known,
    );
    const page = planned.flatMap((one, i) => (budgeted[i] ? [{ ...one, budgeted: budgeted[i] }] : []));
    tally = tallyPlan(tally, { found: page, undecided: found.length - planned.length });
  }
  return tally;
}

/** Each once, though several taints list it. */
async function* podsInPlan(state: State, taints: readonly TaintRule[]): AsyncGenerator<readonly string[]> {
  const seen = new Set<string>();
  const fresh = (pods: readonly string[]) => {
    const mine = pods.filter((pod) => !seen.has(pod));
    for (const pod of mine) seen.add(pod);
    return mine;
  };
  for (const rule of new Set(taints.map(ruleRef))) for await (const pods of plannedPods(state, rule)) yield fresh(pods);
  for (const limiter of new Set(taints.filter(({ taint }) => taint.effect !== 'None').map(ruleLimiter)))
    for await (const listed of listedPages(state, limiter)) yield fresh(listed.map(({ pod }) => pod));
}

async function readBudgets({ budgets }: ClusterAccess, known: Budgets, wanted: ReadonlySet<string>): Promise<void> {
  const missing = [...wanted].filter((namespace) => !known.has(namespace));
  await mapParallel(missing, parallelReads, async (namespace) => {
    const answer = await budgets.read(namespace);
    known.set(namespace, answer.kind === 'Known' ? answer : { kind: 'Unknown', why: answer.why });
  });
}
