// A plan with its PDBs, in numbers, and as the condition `sluice.dev/Plan` of its rule.

import type {
  BudgetedPod,
  DisruptionBudget,
  FreeDevices,
  Headroom,
  PlannedPod,
  PlanSummary,
  RulePlan,
} from '../model/plan.ts';
import type { ReasonOf } from '../model/reasons.ts';
import { compareText } from '../model/snapshot.ts';
import type { RuleCondition } from '../model/status.ts';
import { namespacesPaused } from './planHold.ts';

/** A separate condition that is kept up to date; upstream's condition keeps its texts. */
export const evictionPlan = 'sluice.dev/Plan';

/** The PDBs of one namespace, or why they are unknown. */
export type NamespaceBudgets =
  | { readonly kind: 'Known'; readonly budgets: readonly DisruptionBudget[] }
  | { readonly kind: 'Unknown'; readonly why: string };

/** Each pod with its tightest PDB; a namespace missing from `budgets` is unknown. */
export function withBudgets<T extends Pick<PlannedPod, 'pod'>>(
  pods: readonly T[],
  budgets: ReadonlyMap<string, NamespaceBudgets>,
): readonly (T & Pick<BudgetedPod, 'headroom'>)[] {
  const known = new Map([...budgets].map(([namespace, found]) => [namespace, headroomIn(found)]));
  const unread = headroomIn({ kind: 'Unknown', why: 'its namespace was not read' });
  return pods.map((one) => ({ ...one, headroom: (known.get(one.pod.namespace) ?? unread)(one.pod.name) }));
}

/** The PDB headroom of a namespace's pods, by pod name. */
function headroomIn(found: NamespaceBudgets): (pod: string) => Headroom {
  if (found.kind === 'Unknown') return () => found;
  const tightest = tightestByPod(found.budgets);
  return (pod) => tightest.get(pod) ?? { kind: 'None' };
}

function tightestByPod(budgets: readonly DisruptionBudget[]): ReadonlyMap<string, Headroom> {
  const widestFirst = budgets.toSorted((a, b) => b.allowed - a.allowed || compareText(b.name, a.name));
  return new Map(
    widestFirst.flatMap(({ name, allowed, pods }) =>
      pods.map((pod): [string, Headroom] => [pod, { kind: 'Budget', name, allowed }]),
    ),
  );
}

export function summarize(plan: Omit<RulePlan, 'pods' | 'rule' | 'at'>, pods: readonly BudgetedPod[]): PlanSummary {
  const { namespaces, undecided, free, takes } = plan;
  const use = addBudgets(noBudgets, pods);
  const paused = countPaused(pods);
  return {
    pods: pods.length,
    namespaces,
    undecided,
    beyondBudgets: beyondBudgets(use),
    unbudgeted: use.unknown,
    free,
    ...pausedIn({ pods: pods.length, paused }),
    ...(takes === undefined ? {} : { takes }),
  };
}

/** Of a plan whose pods are all in paused namespaces, also that none is evicted now. */
export function pausedIn({ pods, paused }: { readonly pods: number; readonly paused: number }): {
  readonly paused?: number;
  readonly held?: string;
} {
  if (paused === 0) return {};
  return paused === pods ? { paused, held: namespacesPaused } : { paused };
}

export function countPaused(pods: readonly PlannedPod[]): number {
  return pods.filter(({ paused }) => paused).length;
}

/** How many pods of a plan fall under each PDB; each pod counts for its tightest one. */
export interface BudgetUse {
  readonly budgets: ReadonlyMap<string, { readonly allowed: number; readonly planned: number }>;
  /** Pods whose PDBs could not be read. */
  readonly unknown: number;
}

export const noBudgets: BudgetUse = { budgets: new Map(), unknown: 0 };

export function addBudgets(before: BudgetUse, pods: readonly Pick<BudgetedPod, 'pod' | 'headroom'>[]): BudgetUse {
  const budgets = new Map(before.budgets);
  for (const { pod, headroom } of pods) {
    if (headroom.kind !== 'Budget') continue;
    const key = `${pod.namespace}/${headroom.name}`;
    budgets.set(key, { allowed: headroom.allowed, planned: (budgets.get(key)?.planned ?? 0) + 1 });
  }
  return { budgets, unknown: before.unknown + pods.filter(({ headroom }) => headroom.kind === 'Unknown').length };
}

/** Pods in excess of what the PDBs allow. */
export function beyondBudgets({ budgets }: BudgetUse): number {
  return [...budgets.values()].reduce(
    (sum, { allowed, planned }) => sum + Math.max(0, planned - Math.max(0, allowed)),
    0,
  );
}

export type PlanConditionContent = Omit<RuleCondition, 'lastTransitionTime'>;

/** True while the rule would evict a pod. */
export function planCondition(summary: PlanSummary, generation: number): PlanConditionContent {
  const any = summary.pods > 0;
  const reason: ReasonOf<typeof evictionPlan> = any ? 'PodsWouldBeEvicted' : 'NoPodWouldBeEvicted';
  return {
    type: evictionPlan,
    status: any ? 'True' : 'False',
    reason,
    message: sentences(summary).join(' '),
    observedGeneration: generation,
  };
}

function sentences({
  pods,
  namespaces,
  undecided,
  beyondBudgets,
  unbudgeted,
  free,
  takes,
  paused = 0,
  held,
}: PlanSummary): readonly string[] {
  const rest = held === undefined ? '' : ` when not held. None is evicted now: ${held}`;
  const atRate =
    takes === undefined
      ? 'The rate or burst of the rule is 0, so none of them is evicted.'
      : `At its rate that takes ${seconds(takes)}${rest}.`;
  const when = paused === pods ? `None is evicted now: ${held ?? namespacesPaused}.` : atRate;
  return [
    `${count(pods, 'pod')} in ${count(namespaces, 'namespace')} would be evicted.`,
    ...(pods > 0 ? [when] : []),
    ...(paused > 0
      ? [
          `${paused} of them ${paused === 1 ? 'is kept while its namespace is' : 'are kept while their namespaces are'} paused.`,
        ]
      : []),
    ...(beyondBudgets > 0
      ? [
          `That is ${count(beyondBudgets, 'pod')} beyond what disruption budgets allow: in mode Evict these wait, and it takes longer.`,
        ]
      : []),
    ...(unbudgeted > 0 ? [`The disruption budgets of ${count(unbudgeted, 'pod')} could not be read.`] : []),
    ...free.map(
      (one) => `${count(one.free, 'untainted device')} of ${sourceOf(one)} ${one.free === 1 ? 'is' : 'are'} free.`,
    ),
    ...(undecided > 0 ? [`${count(undecided, 'pod')} cannot be decided and would be kept.`] : []),
  ];
}

/** Name of the driver or class, for a condition or a page. */
export function sourceOf(free: FreeDevices): string {
  return 'driver' in free ? free.driver : `class ${free.deviceClassName}`;
}

function seconds(takes: number): string {
  return `${Math.ceil(takes / 1000)} s`;
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}
