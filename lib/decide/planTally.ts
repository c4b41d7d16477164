// A plan in numbers, counted one page of pods at a time, so that memory does not grow with the pods.
import type { BudgetedPod, FreeDevices, PlannedDevice, PlanSummary } from '../model/plan.ts';
import type { TaintRule } from '../model/rule.ts';
import type { Instant } from '../model/time.ts';
import { devicesOf, durationOf, type Found, inOrder } from './livePlan.ts';
import { addBudgets, type BudgetUse, beyondBudgets, countPaused, noBudgets, pausedIn } from './planReport.ts';

/** Pods listed along with the numbers. */
const firstPods = 10;

export interface PlanTally {
  readonly pods: number;
  readonly undecided: number;
  /** In paused namespaces. */
  readonly paused: number;
  readonly namespaces: ReadonlySet<string>;
  readonly budgets: BudgetUse;
  /** The pods that would be evicted first. */
  readonly first: readonly BudgetedPod[];
  /** One device of each driver and class. */
  readonly devices: ReadonlyMap<string, PlannedDevice>;
  /** Pods that no paused namespace keeps; those with the same due time and listings are stored as one example and a count. */
  readonly alike: ReadonlyMap<string, { readonly one: Found; readonly pods: number }>;
}

export const nothingPlanned: PlanTally = {
  pods: 0,
  undecided: 0,
  paused: 0,
  namespaces: new Set(),
  budgets: noBudgets,
  first: [],
  devices: new Map(),
  alike: new Map(),
};

/** Adds a page of pods. */
export function tallyPlan(
  before: PlanTally,
  page: { readonly found: readonly (Found & { readonly budgeted: BudgetedPod })[]; readonly undecided: number },
): PlanTally {
  const { found } = page;
  const alike = new Map(before.alike);
  for (const one of found.filter(({ planned }) => !planned.paused)) {
    const key = JSON.stringify([one.planned.tolerated, one.listings]);
    const known = alike.get(key);
    // Stryker disable next-line EqualityOperator: no two pods have the same place
    const first = known && inOrder(known.one, one) <= 0 ? known.one : one;
    alike.set(key, { one: first, pods: (known?.pods ?? 0) + 1 });
  }
  const planned = found.map((one) => one.planned);
  const budgeted = found.map((one) => one.budgeted);
  const byOrder = (a: BudgetedPod, b: BudgetedPod) => inOrder({ planned: a }, { planned: b });
  return {
    pods: before.pods + found.length,
    undecided: before.undecided + page.undecided,
    paused: before.paused + countPaused(planned),
    namespaces: new Set([...before.namespaces, ...planned.map(({ pod }) => pod.namespace)]),
    budgets: addBudgets(before.budgets, budgeted),
    first: [...before.first, ...budgeted].sort(byOrder).slice(0, firstPods),
    devices: new Map([
      ...before.devices,
      ...devicesOf(planned).map((one) => [`${one.driver}|${one.deviceClassName ?? ''}`, one] as const),
    ]),
    alike,
  };
}

export function summaryOf(
  tally: PlanTally,
  by: { readonly taints: readonly TaintRule[]; readonly free: readonly FreeDevices[]; readonly now: Instant },
): PlanSummary {
  const takes = durationOf(podsOf(tally), by.taints, by.now);
  return {
    pods: tally.pods,
    namespaces: tally.namespaces.size,
    undecided: tally.undecided,
    beyondBudgets: beyondBudgets(tally.budgets),
    unbudgeted: tally.budgets.unknown,
    free: by.free,
    ...pausedIn(tally),
    ...(takes === undefined ? {} : { takes }),
  };
}

/** In order of eviction, as far as the order affects the duration. */
function* podsOf({ alike }: PlanTally): Generator<Found> {
  for (const { one, pods } of [...alike.values()].sort((a, b) => inOrder(a.one, b.one)))
    for (let i = 0; i < pods; i++) yield one;
}
