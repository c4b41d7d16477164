// Rows of a plan: one per pod, or pods counted by group; pure.
import type { BudgetedPod, Headroom } from '../model/plan.ts';
import { compareText } from '../model/snapshot.ts';
import { deviceText } from './cluster/devices.ts';

export const groupings = ['pod', 'namespace', 'owner', 'device', 'budget'] as const;
export type Grouping = (typeof groupings)[number];

export interface GroupRow {
  readonly name: string;
  readonly pods: number;
  readonly beyondBudgets: number;
}

/** Largest group first. A pod with several devices counts in each device's group. */
export function groupsOf(pods: readonly BudgetedPod[], by: Exclude<Grouping, 'pod'>): readonly GroupRow[] {
  const named = pods.flatMap((pod) => namesOf(pod, by).map((name) => ({ name, pod })));
  const groups = [...Map.groupBy(named, ({ name }) => name)].map(([name, members]) => ({
    name,
    pods: members.length,
    beyondBudgets: beyondOf(members.map(({ pod }) => pod)),
  }));
  return groups.sort((a, b) => b.pods - a.pods || compareText(a.name, b.name));
}

function namesOf(pod: BudgetedPod, by: Exclude<Grouping, 'pod'>): readonly string[] {
  switch (by) {
    case 'namespace':
      return [pod.pod.namespace];
    case 'owner':
      return [ownerText(pod)];
    case 'device':
      return [...new Set(pod.claims.flatMap(({ devices }) => devices.map(deviceText)))];
    case 'budget':
      return [pod.headroom.kind === 'Budget' ? `${pod.pod.namespace}/${pod.headroom.name}` : budgetText(pod.headroom)];
    default:
      return by satisfies never;
  }
}

/** Number of pods beyond what their tightest PodDisruptionBudgets allow. */
function beyondOf(pods: readonly BudgetedPod[]): number {
  const budgets = new Map<string, { readonly allowed: number; pods: number }>();
  for (const { pod, headroom } of pods) {
    if (headroom.kind !== 'Budget') continue;
    const key = `${pod.namespace}/${headroom.name}`;
    const known = budgets.get(key) ?? { allowed: Math.max(0, headroom.allowed), pods: 0 };
    known.pods += 1;
    budgets.set(key, known);
  }
  return [...budgets.values()].reduce((sum, one) => sum + Math.max(0, one.pods - one.allowed), 0);
}

export function ownerText({ owner, pod }: BudgetedPod): string {
  return owner ? `${pod.namespace}/${owner.kind}/${owner.name}` : 'none';
}

export function budgetText(headroom: Headroom): string {
  switch (headroom.kind) {
    case 'None':
      return 'none';
    case 'Budget':
      return `${headroom.name} allows ${headroom.allowed}`;
    case 'Unknown':
      return 'unknown';
    default:
      return headroom satisfies never;
  }
}

export interface Page<T> {
  readonly rows: readonly T[];
  readonly number: number;
  /** At least one. */
  readonly pages: number;
}

/** `size` 0: all rows on one page. A number beyond the last page gives the last page. */
export function pageOf<T>(
  rows: readonly T[],
  { number, size }: { readonly number: number; readonly size: number },
): Page<T> {
  if (size === 0 || rows.length === 0) return { rows, number: 1, pages: 1 };
  const pages = Math.ceil(rows.length / size);
  const at = Math.min(number, pages);
  return { rows: rows.slice((at - 1) * size, at * size), number: at, pages };
}
