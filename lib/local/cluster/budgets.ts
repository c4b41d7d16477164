// Checks PodDisruptionBudgets for an eviction, by their status.
import { disruptionBudgetExceeded } from './apiStatus.ts';
import { at, isMap, type JsonMap, type KubeObject, listAt, mapAt, textAt } from './object.ts';
import { builtInResources } from './resources.ts';
import type { Store } from './store.ts';

const budgets = builtInResources.find((type) => type.plural === 'poddisruptionbudgets');

/** Throws if a budget refuses. As upstream, pods that have not started or have ended are not protected. */
export function checkBudgets(store: Store, pod: KubeObject): void {
  if (!budgets || textAt(pod, 'status', 'phase') !== 'Running') return;
  for (const budget of store.list(budgets, pod.metadata.namespace)) {
    if (!selects(mapAt(budget, 'spec', 'selector'), pod.metadata.labels ?? {})) continue;
    const allowed = at(budget, 'status', 'disruptionsAllowed');
    if (typeof allowed !== 'number' || allowed < 1) throw disruptionBudgetExceeded(budget.metadata.name);
  }
}

function selects(selector: JsonMap | undefined, labels: Readonly<Record<string, string>>): boolean {
  if (!selector) return false;
  const wanted = Object.entries(mapAt(selector, 'matchLabels') ?? {});
  if (!wanted.every(([key, value]) => labels[key] === value)) return false;
  return listAt(selector, 'matchExpressions').every((one) => !isMap(one) || meets(one, labels));
}

function meets(one: JsonMap, labels: Readonly<Record<string, string>>): boolean {
  const value = labels[textAt(one, 'key') ?? ''];
  const isListed = value !== undefined && listAt(one, 'values').includes(value);
  switch (textAt(one, 'operator')) {
    case 'In':
      return isListed;
    case 'NotIn':
      return !isListed;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return value !== undefined;
  }
}
