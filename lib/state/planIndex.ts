// An index of the pods that a rule with effect None matches; written together with the pod's row, like listings.
import type { RuleRef } from '../model/rule.ts';
import { queryPages, type Write } from '../table.ts';
import { planPodKey, planPodsPartition } from './keys.ts';
import type { State } from './state.ts';

/** `sum`: hash of the plan's entry for the pod, to detect changes. */
export interface PlannedFor {
  readonly rule: RuleRef;
  readonly sum: number;
}

/** Rows per transaction. */
const movedAtOnce = 10;

/** The next writes towards the wanted index rows, and the pod row's `planned` after them. */
export function movePlans(
  state: State,
  row: { readonly key: string; readonly planned: readonly PlannedFor[] },
  wanted: readonly PlannedFor[],
): { readonly planned: readonly PlannedFor[]; readonly writes: readonly Write[]; readonly isAll: boolean } {
  const [before, after] = [row.planned, wanted].map((plans) => new Map(plans.map((one) => [one.rule, one])));
  const missing = wanted.filter(({ rule }) => !before?.has(rule));
  const surplus = row.planned.filter(({ rule }) => !after?.has(rule));
  const adding = missing.slice(0, movedAtOnce);
  const removing = surplus.slice(0, movedAtOnce - adding.length);
  const kept = row.planned.filter((one) => !removing.includes(one)).map((one) => after?.get(one.rule) ?? one);
  const keyOf = ({ rule }: PlannedFor) => planPodKey(state.cluster, rule, row.key);
  return {
    planned: [...kept, ...adding],
    writes: [
      ...removing.map((one): Write => ({ kind: 'Delete', key: keyOf(one) })),
      ...adding.map((one): Write => ({ kind: 'Put', row: { ...keyOf(one) } })),
    ],
    isAll: adding.length === missing.length && removing.length === surplus.length,
  };
}

/** `namespace/name` of the pods of one rule, page by page. */
export async function* plannedPods(state: State, rule: RuleRef): AsyncGenerator<readonly string[]> {
  for await (const rows of queryPages(state.table, { pk: planPodsPartition(state.cluster, rule) }))
    yield rows.map(({ sk }) => sk);
}
