// A rule's stored plan: one row with the numbers and the pods that would be evicted first.
import type { Uid } from '../model/identity.ts';
import type { BudgetedPod, PlanSummary } from '../model/plan.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import { absent, compare, queryAll, type Row } from '../table.ts';
import { dueAttributes } from './dueIndex.ts';
import { planKey, plansPartition } from './keys.ts';
import type { State } from './state.ts';

export interface StoredPlan {
  readonly rule: string;
  readonly uid: Uid;
  readonly generation: number;
  /** When the plan was counted. */
  readonly at: Instant;
  readonly summary: PlanSummary;
  /** The pods that would be evicted first, so that a page shows all rules with one query. */
  readonly first: readonly BudgetedPod[];
  readonly ver: number;
}

/** Refresh interval of a stored plan: at the next sweep. */
const lookedAtEvery: Milliseconds = 10_000;

/** All plans of a cluster, by rule name. */
export async function readPlans(state: State): Promise<readonly StoredPlan[]> {
  return (await queryAll(state.table, { pk: plansPartition(state.cluster) })).map(storedPlan);
}

export async function readPlan(state: State, rule: string): Promise<StoredPlan | undefined> {
  const row = await state.table.get(planKey(state.cluster, rule));
  return row && storedPlan(row);
}

/** Stores a plan if no other was stored in the meantime: of two concurrent refreshes, the later one loses and runs again. */
export async function storePlan(
  state: State,
  plan: Omit<StoredPlan, 'ver'>,
  before: StoredPlan | undefined,
): Promise<'Stored' | 'Lost'> {
  const { rule, ...numbers } = plan;
  const key = planKey(state.cluster, rule);
  // PodDisruptionBudgets and claims of other pods change its numbers, and no event announces that.
  const set = { ...numbers, ...dueAttributes(state, key, plan.at + lookedAtEvery) };
  const result = await state.table.write({
    kind: 'Update',
    key,
    change: { set, add: { ver: 1 } },
    when: before ? compare('ver', '=', before.ver) : absent('ver'),
  });
  return result.kind === 'Written' ? 'Stored' : 'Lost';
}

/** For a rule that was deleted, or that now evicts. A refresh under way loses its write and starts again. */
export async function dropPlan(state: State, rule: string): Promise<void> {
  await state.table.write({ kind: 'Delete', key: planKey(state.cluster, rule) });
}

function storedPlan(row: Row): StoredPlan {
  return { ...(row as unknown as StoredPlan), rule: row.sk };
}
