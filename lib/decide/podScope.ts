// Which pods a rule may evict: by namespace, labels and priority.
import type { Pod } from '../model/objects.ts';
import type { LabelRequirement, PodScope } from '../model/rule.ts';

/** An absent field does not restrict; an empty list of namespaces excludes every pod. */
export function isInScope(pod: Pod, scope: PodScope | undefined): boolean {
  if (!scope) return true;
  const { namespaces, labels = [], maxPriority = Number.POSITIVE_INFINITY } = scope;
  if (namespaces && !namespaces.includes(pod.namespace)) return false;
  if ((pod.priority ?? 0) > maxPriority) return false;
  return labels.every((requirement) => meets(pod.labels ?? {}, requirement));
}

/** metav1.LabelSelectorRequirement. NotIn also matches if the label is missing; an unknown operator never matches. */
function meets(labels: Readonly<Record<string, string>>, { key, operator, values }: LabelRequirement): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  const isListed = values.some((one) => one === value);
  if (operator === 'In') return isListed;
  if (operator === 'NotIn') return !isListed;
  if (operator === 'Exists') return value !== undefined;
  return operator === 'DoesNotExist' && value === undefined;
}
