// Checks PodDisruptionBudgets for an eviction, by their status, and counts the eviction there.
import { disruptionBudgetExceeded } from './apiStatus.ts';
import { at, isMap, type JsonMap, type KubeObject, listAt, mapAt, textAt } from './object.ts';
import { builtInResources } from './resources.ts';
import type { Store } from './store.ts';
import { timestamp } from './timestamps.ts';

const budgets = builtInResources.find((type) => type.plural === 'poddisruptionbudgets');

/**
 * Uses one disruption of each budget over the pod, as upstream before the disruption controller counts again; throws if a budget
 * allows none. Pods that have not started or have ended are not protected.
 */
export function useBudgets(store: Store, pod: KubeObject, now: number): void {
  if (!budgets || textAt(pod, 'status', 'phase') !== 'Running') return;
  const resource = budgets;
  const over = store
    .list(resource, pod.metadata.namespace)
    .filter((budget) => selects(mapAt(budget, 'spec', 'selector'), pod.metadata.labels ?? {}));
  const none = over.find((budget) => allowedBy(budget) < 1);
  if (none) throw disruptionBudgetExceeded(none.metadata.name);
  for (const budget of over) {
    const disruptedPods = { ...mapAt(budget, 'status', 'disruptedPods'), [pod.metadata.name]: timestamp(now) };
    const status = { ...mapAt(budget, 'status'), disruptionsAllowed: allowedBy(budget) - 1, disruptedPods };
    store.put(resource, { ...budget, status });
  }
}

function allowedBy(budget: KubeObject): number {
  const allowed = at(budget, 'status', 'disruptionsAllowed');
  return typeof allowed === 'number' ? allowed : 0;
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
