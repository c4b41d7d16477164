// DeviceTaintRule of resource.k8s.io v1, v1beta2 or v1alpha3 as Sluice keeps it.
import type { DeviceTaintRule, DeviceTaintSelector } from '../../model/objects.ts';
import type { RuleCondition } from '../../model/status.ts';
import {
  annotationsOf,
  instantOf,
  listOf,
  metaOf,
  numberOf,
  objectOf,
  type Projected,
  present,
  taintOf,
  textOf,
  unreadable,
} from './read.ts';

export function projectRule(value: unknown): Projected<DeviceTaintRule> {
  const object = objectOf(value);
  const meta = metaOf(object);
  if (!meta) return unreadable('DeviceTaintRule', object);
  const { namespace: _, ...identity } = meta;
  const spec = objectOf(object.spec);
  const rule: DeviceTaintRule = {
    kind: 'DeviceTaintRule',
    ...identity,
    generation: numberOf(objectOf(object.metadata).generation) ?? 0,
    taint: taintOf(spec.taint),
    ...present<{ deviceSelector: DeviceTaintSelector; annotations: Readonly<Record<string, string>> }>({
      deviceSelector: selectorOf(spec.deviceSelector),
      annotations: annotationsOf(object),
    }),
  };
  return { kind: 'Projected', object: rule };
}

/** The criteria that this version knows; one it does not know, such as a class or CEL, would widen the selection: match nothing. */
function selectorOf(value: unknown): DeviceTaintSelector | undefined {
  if (value === undefined || value === null) return undefined;
  const selector = objectOf(value);
  const known = ['driver', 'pool', 'device'];
  if (Object.keys(selector).some((name) => !known.includes(name))) return undefined;
  if (known.some((name) => selector[name] !== undefined && typeof selector[name] !== 'string')) return undefined;
  return present<Required<DeviceTaintSelector>>({
    driver: textOf(selector.driver),
    pool: textOf(selector.pool),
    device: textOf(selector.device),
  });
}

/** status.conditions of a rule. */
export function conditionsOf(value: unknown): readonly RuleCondition[] {
  return listOf(objectOf(objectOf(value).status).conditions).map((condition) => ({
    type: textOf(condition.type) ?? '',
    status: condition.status === 'True' || condition.status === 'False' ? condition.status : 'Unknown',
    reason: textOf(condition.reason) ?? '',
    message: textOf(condition.message) ?? '',
    observedGeneration: numberOf(condition.observedGeneration) ?? 0,
    lastTransitionTime: instantOf(condition.lastTransitionTime) ?? 0,
  }));
}
