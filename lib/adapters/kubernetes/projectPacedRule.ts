// Projects a PacedTaintRule of sluice.dev/v1alpha1.
import type {
  ExistingTaint,
  LabelRequirement,
  PacedDeviceSelector,
  PacedTaint,
  PacedTaintRule,
  PodScope,
} from '../../model/rule.ts';
import { authorOf } from './author.ts';
import { checkNames, checkTaint, checkTaints } from './checkTaint.ts';
import {
  annotationsOf,
  instantOf,
  type Json,
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

export function projectPacedRule(value: unknown): Projected<PacedTaintRule> {
  const object = objectOf(value);
  const meta = metaOf(object);
  if (!meta) return unreadable('PacedTaintRule', value, { problems: noIdentity });
  const { namespace: _, ...identity } = meta;
  const { generation, creationTimestamp } = objectOf(object.metadata);
  const common = { kind: 'PacedTaintRule', ...identity, generation: numberOf(generation) ?? 0 } as const;
  const problems: Problems = [];
  const spec = readerOf(object, problems).object('spec') ?? readerOf({}, problems, 'spec');
  const taints = spec.list('taints').map(pacedTaintOf);
  checkTaints(spec, taints);
  const rule: PacedTaintRule = {
    ...common,
    taints,
    seen: seenOf(object),
    ...present<Optional>({
      creationTimestamp: instantOf(creationTimestamp),
      deviceSelector: selectorOf(spec),
      priority: spec.optionalNumber('priority'),
      pods: scopeOf(spec),
      paused: spec.members.paused === true || undefined,
      expiresAt: spec.optionalText('expiresAt'),
      author: authorOf(object),
      annotations: annotationsOf(object),
    }),
  };
  if (problems.length === 0) return { kind: 'Projected', object: rule };
  return unreadable('PacedTaintRule', value, { problems, harmless: { ...common, taints: [], seen: [] } });
}

type Optional = Required<
  Pick<
    PacedTaintRule,
    'creationTimestamp' | 'deviceSelector' | 'priority' | 'pods' | 'paused' | 'expiresAt' | 'author' | 'annotations'
  >
>;

export function pacedTaintOf(taint: Reader): PacedTaint {
  const read = readTaint(taint);
  checkTaint(taint, read);
  return {
    ...read,
    ...present<Required<Pick<PacedTaint, 'evictionsPerSecond' | 'burst' | 'description'>>>({
      evictionsPerSecond: taint.optionalNumber('evictionsPerSecond'),
      burst: taint.optionalNumber('burst'),
      description: taint.optionalText('description'),
    }),
  };
}

const criteria = ['all', 'driver', 'pool', 'device', 'deviceClassName', 'selectors', 'deviceTaints'];

/** An unknown criterion would narrow the selection, so it is never ignored. `{}` is rejected, as by the API server. */
function selectorOf(spec: Reader): PacedDeviceSelector | undefined {
  const selector = spec.object('deviceSelector');
  if (!selector) return undefined;
  const names = Object.keys(selector.members);
  for (const name of names) {
    if (!criteria.includes(name)) selector.problem(`criterion ${name} is not known, so the rule selects nothing`);
  }
  if (names.length === 0)
    selector.problem('it is empty, so the rule selects nothing: set all: true to select every device');
  for (const list of ['selectors', 'deviceTaints'])
    if (names.includes(list) && selector.list(list).length === 0)
      selector.problem(`${list} is empty, so the rule selects nothing: name one, or leave it out`);
  if (names.includes('all') && (names.length > 1 || selector.members.all !== true))
    selector.problem('all must be true and stand alone, so the rule selects nothing');
  const places = present<Required<Pick<PacedDeviceSelector, 'driver' | 'pool' | 'device'>>>({
    driver: selector.optionalText('driver'),
    pool: selector.optionalText('pool'),
    device: selector.optionalText('device'),
  });
  checkNames(selector, places);
  return {
    ...places,
    ...present<Omit<Required<PacedDeviceSelector>, keyof typeof places>>({
      all: selector.members.all === true || undefined,
      deviceClassName: selector.optionalText('deviceClassName'),
      selectors: names.includes('selectors') ? selector.list('selectors').map(expressionOf) : undefined,
      deviceTaints: names.includes('deviceTaints') ? selector.list('deviceTaints').map(existingOf) : undefined,
    }),
  };
}

function expressionOf(selector: Reader): string {
  const cel = selector.object('cel');
  if (!cel) selector.problem('selector is not a CEL expression, so the rule selects nothing');
  return cel?.text('expression') ?? 'false';
}

function existingOf(taint: Reader): ExistingTaint {
  return {
    key: taint.text('key'),
    ...present<Required<Omit<ExistingTaint, 'key'>>>({
      value: taint.optionalText('value'),
      effect: taint.optionalText('effect'),
      minAge: taint.optionalDuration('minAge'),
    }),
  };
}

function scopeOf(spec: Reader): PodScope | undefined {
  const pods = spec.object('pods');
  if (!pods) return undefined;
  const { namespaces } = pods.members;
  if (namespaces !== undefined && !isTexts(namespaces)) pods.problem('namespaces is not a list of names');
  const selector = pods.object('podSelector');
  return present<Required<PodScope>>({
    namespaces: isTexts(namespaces) ? namespaces : undefined,
    labels: selector && requirementsOf(selector),
    maxPriority: pods.optionalNumber('maxPriority'),
  });
}

/** metav1.LabelSelector; matchLabels become requirements with one value. */
function requirementsOf(selector: Reader): readonly LabelRequirement[] {
  const labels = Object.entries(objectOf(selector.members.matchLabels));
  const expressions = selector.list('matchExpressions').map((one): LabelRequirement => {
    const { values } = one.members;
    return { key: one.text('key'), operator: one.text('operator'), values: isTexts(values) ? values : [] };
  });
  return [...labels.map(([key, value]) => ({ key, operator: 'In', values: [String(value)] })), ...expressions];
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

/** An unreadable entry was not written by Sluice: the taint counts as not seen. */
function seenOf(object: Json): PacedTaintRule['seen'] {
  return listOf(objectOf(object.status).taints).flatMap((one) => {
    const [timeAdded, specTimeAdded] = [instantOf(one.timeAdded), instantOf(one.specTimeAdded)];
    if (timeAdded === undefined) return [];
    const times = { timeAdded, ...(specTimeAdded === undefined ? {} : { specTimeAdded }) };
    return [{ key: textOf(one.key) ?? '', effect: textOf(one.effect) ?? '', ...times }];
  });
}
