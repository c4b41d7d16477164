// Whose pods a rule lets go: by namespace, labels and priority.
import type { Pod } from '../model/objects.ts';
import type { LabelRequirement, PodScope } from '../model/rule.ts';

/** An absent member narrows nothing, an empty list of namespaces leaves no pod. */
export function isInScope(pod: Pod, scope: PodScope | undefined): boolean {
  if (!scope) return true;
  const { namespaces, labels = [], maxPriority = Number.POSITIVE_INFINITY } = scope;
  if (namespaces && !namespaces.includes(pod.namespace)) return false;
  if ((pod.priority ?? 0) > maxPriority) return false;
  return labels.every((requirement) => meets(pod.labels ?? {}, requirement));
}

/** metav1.LabelSelectorRequirement: NotIn also holds where the label is missing; an unknown operator holds nowhere. */
function meets(labels: Readonly<Record<string, string>>, { key, operator, values }: LabelRequirement): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  const isListed = values.some((one) => one === value);
  if (operator === 'In') return isListed;
  if (operator === 'NotIn') return !isListed;
  if (operator === 'Exists') return value !== undefined;
  return operator === 'DoesNotExist' && value === undefined;
}
