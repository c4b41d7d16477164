// Projects a DeviceTaintRule of resource.k8s.io v1, v1beta2 or v1alpha3.
import type { DeviceTaintRule, DeviceTaintSelector } from '../../model/objects.ts';
import { projectedFromLabel } from '../../model/rule.ts';
import type { RuleCondition } from '../../model/status.ts';
import { authorOf } from './author.ts';
import {
  annotationsOf,
  instantOf,
  labelsOf,
  listOf,
  metaOf,
  noIdentity,
  numberOf,
  objectOf,
  type Problems,
  type Projected,
  present,
  type Reader,
  readerOf,
  textOf,
  unreadable,
} from './read.ts';
import { readTaint } from './readTaint.ts';

export function projectRule(value: unknown): Projected<DeviceTaintRule> {
  const object = objectOf(value);
  const meta = metaOf(object);
  if (!meta) return unreadable('DeviceTaintRule', value, { problems: noIdentity });
  const { namespace: _, ...identity } = meta;
  const generation = numberOf(objectOf(object.metadata).generation) ?? 0;
  const problems: Problems = [];
  const whole = readerOf(object, problems);
  const spec = whole.object('spec') ?? readerOf({}, problems, 'spec');
  const taint = readTaint(spec.object('taint') ?? readerOf({}, problems, 'spec.taint'));
  const selector = spec.object('deviceSelector');
  const optional = present<
    Required<Pick<DeviceTaintRule, 'deviceSelector' | 'projectedFrom' | 'author' | 'annotations'>>
  >({
    projectedFrom: labelsOf(object)?.[projectedFromLabel],
    deviceSelector: selector && selectorOf(selector),
    author: authorOf(object),
    annotations: annotationsOf(object),
  });
  if (problems.length > 0) {
    const nothing = { key: 'unreadable', effect: 'None' };
    const harmless: DeviceTaintRule = { kind: 'DeviceTaintRule', ...identity, generation, taint: nothing };
    return unreadable('DeviceTaintRule', value, { problems, harmless });
  }
  return { kind: 'Projected', object: { kind: 'DeviceTaintRule', ...identity, generation, taint, ...optional } };
}

const criteria = ['driver', 'pool', 'device'];

/** An unknown criterion (a class or CEL in v1alpha3 before 1.35) would narrow the selection, so it is never ignored. */
function selectorOf(selector: Reader): DeviceTaintSelector {
  for (const name of Object.keys(selector.members)) {
    if (!criteria.includes(name)) selector.problem(`criterion ${name} is not known, so the rule selects nothing`);
  }
  return present<Required<DeviceTaintSelector>>({
    driver: selector.optionalText('driver'),
    pool: selector.optionalText('pool'),
    device: selector.optionalText('device'),
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
