// A rule's plan in the table: one row of numbers, and of the pods that would be evicted first.
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
  /** When the cluster was looked at. */
  readonly at: Instant;
  readonly summary: PlanSummary;
  /** The pods that would go first, so that a page needs one query for all rules. */
  readonly first: readonly BudgetedPod[];
  readonly ver: number;
}

/** While the plan stands: by the next sweep. */
const lookedAtEvery: Milliseconds = 10_000;

/** Every plan of a cluster, by name of its rule. */
export async function readPlans(state: State): Promise<readonly StoredPlan[]> {
  return (await queryAll(state.table, { pk: plansPartition(state.cluster) })).map(storedPlan);
}

export async function readPlan(state: State, rule: string): Promise<StoredPlan | undefined> {
  const row = await state.table.get(planKey(state.cluster, rule));
  return row && storedPlan(row);
}

/** On the condition that no plan was stored meanwhile: of two refreshes at once the later one loses and runs again. */
export async function storePlan(
  state: State,
  plan: Omit<StoredPlan, 'ver'>,
  before: StoredPlan | undefined,
): Promise<'Stored' | 'Lost'> {
  const { rule, ...numbers } = plan;
  const key = planKey(state.cluster, rule);
  // Disruption budgets and claims of other pods move its numbers, and no event tells of that.
  const set = { ...numbers, ...dueAttributes(state, key, plan.at + lookedAtEvery) };
  const result = await state.table.write({
    kind: 'Update',
    key,
    change: { set, add: { ver: 1 } },
    when: before ? compare('ver', '=', before.ver) : absent('ver'),
  });
  return result.kind === 'Written' ? 'Stored' : 'Lost';
}

/** Of a rule that has gone, or that does what it planned. A refresh that is under way loses and looks again. */
export async function dropPlan(state: State, rule: string): Promise<void> {
  await state.table.write({ kind: 'Delete', key: planKey(state.cluster, rule) });
}

function storedPlan(row: Row): StoredPlan {
  return { ...(row as unknown as StoredPlan), rule: row.sk };
}
