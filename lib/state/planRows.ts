// A rule's plan in the table: one row of numbers, and one row per pod, rewritten only where it says something new.
import { isSame } from '../decide/same.ts';
import { nameKey, type Uid } from '../model/identity.ts';
import type { BudgetedPod, PlanSummary } from '../model/plan.ts';
import { compareText } from '../model/snapshot.ts';
import type { Instant } from '../model/time.ts';
import { absent, compare, queryAll, type Row } from '../table.ts';
import { planKey, planPodKey, planPodsPartition, plansPartition } from './keys.ts';
import type { State } from './state.ts';

export interface StoredPlan {
  readonly rule: string;
  readonly uid: Uid;
  readonly generation: number;
  /** When the cluster was looked at. */
  readonly at: Instant;
  readonly summary: PlanSummary;
  /** The pods that would go first, so that a page needs one query for all rules. */
  readonly first: readonly BudgetedPod[];
  readonly ver: number;
}

/** Pods in the row of numbers. */
const firstPods = 10;

/** Writes under way at once: evictors have the right of way. */
const parallelWrites = 8;

/** Every plan of a cluster, by name of its rule. */
export async function readPlans(state: State): Promise<readonly StoredPlan[]> {
  return (await queryAll(state.table, { pk: plansPartition(state.cluster) })).map(storedPlan);
}

export async function readPlan(state: State, rule: string): Promise<StoredPlan | undefined> {
  const row = await state.table.get(planKey(state.cluster, rule));
  return row && storedPlan(row);
}

/** Which of some rules have a plan. */
export async function havePlans(state: State, rules: readonly string[]): Promise<ReadonlySet<string>> {
  if (rules.length === 0) return new Set();
  const rows = await state.table.getMany([...new Set(rules)].map((rule) => planKey(state.cluster, rule)));
  return new Set(rows.map(({ sk }) => sk));
}

/** The whole list of one rule's plan, in the order in which the pods would go. */
export async function readPlannedPods(state: State, rule: string): Promise<readonly BudgetedPod[]> {
  const rows = await queryAll(state.table, { pk: planPodsPartition(state.cluster, rule) });
  return rows.map(plannedPod).sort((a, b) => a.tolerated - b.tolerated || compareText(orderOf(a), orderOf(b)));
}

/** What the plans of some rules say of some pods, by `<rule>|<namespace>/<name>`. */
export async function readPlannedPodsOf(
  state: State,
  rules: readonly string[],
  pods: readonly string[],
): Promise<ReadonlyMap<string, BudgetedPod>> {
  const keys = rules.flatMap((rule) => pods.map((pod) => planPodKey(state.cluster, rule, pod)));
  const rows = await state.table.getMany(keys);
  return new Map(rows.map((row) => [`${row.rule as string}|${row.sk}`, plannedPod(row)]));
}

/**
 * The pods first, then the numbers, which are conditional on nobody having stored a plan meanwhile: of two refreshes at once the
 * later one loses and runs again, and so repairs what it may have written out of date.
 */
export async function storePlan(
  state: State,
  plan: Omit<StoredPlan, 'first' | 'ver'> & { readonly pods: readonly BudgetedPod[] },
  before: StoredPlan | undefined,
): Promise<'Stored' | 'Lost'> {
  const { rule, pods, ...numbers } = plan;
  const rows = await queryAll(state.table, { pk: planPodsPartition(state.cluster, rule) });
  const stored = new Map(rows.map((row) => [row.sk, row]));
  const wanted = new Map(pods.map((one) => [nameKey(one.pod), one]));
  const moved = [...wanted].filter(([key, planned]) => !isSame(stored.get(key)?.planned, planned));
  await inBatches(moved, ([key, planned]) =>
    state.table.write({ kind: 'Put', row: { ...planPodKey(state.cluster, rule, key), rule, planned } }),
  );
  const gone = [...stored.keys()].filter((key) => !wanted.has(key));
  await inBatches(gone, (key) => state.table.write({ kind: 'Delete', key: planPodKey(state.cluster, rule, key) }));
  const set = { ...numbers, first: pods.slice(0, firstPods) };
  const result = await state.table.write({
    kind: 'Update',
    key: planKey(state.cluster, rule),
    change: { set, add: { ver: 1 } },
    when: before ? compare('ver', '=', before.ver) : absent('ver'),
  });
  return result.kind === 'Written' ? 'Stored' : 'Lost';
}

/** Of a rule that has gone, or that does what it planned. A refresh that is under way loses and looks again. */
export async function dropPlan(state: State, rule: string): Promise<void> {
  const rows = await queryAll(state.table, { pk: planPodsPartition(state.cluster, rule) });
  await state.table.write({ kind: 'Delete', key: planKey(state.cluster, rule) });
  await inBatches(rows, ({ pk, sk }) => state.table.write({ kind: 'Delete', key: { pk, sk } }));
}

async function inBatches<T>(items: readonly T[], write: (item: T) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < items.length; at += parallelWrites) {
    await Promise.all(items.slice(at, at + parallelWrites).map(write));
  }
}

function storedPlan(row: Row): StoredPlan {
  return { ...(row as unknown as StoredPlan), rule: row.sk };
}

function plannedPod(row: Row): BudgetedPod {
  return row.planned as BudgetedPod;
}

function orderOf({ order, pod }: BudgetedPod): string {
  return `${order} ${nameKey(pod)}`;
}
