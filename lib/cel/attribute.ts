// Field and index access as one chain from a base value, the way cel-go resolves attributes and charges for them.

import type { Evaluation, Step } from './evaluation.ts';
import { doubleAsInt } from './int.ts';
import { StringMap } from './map.ts';
import {
  CelDouble,
  CelError,
  CelList,
  CelMap,
  CelOptional,
  CelUint,
  isError,
  isInt,
  none,
  noSuchOverload,
  typeName,
  type Value,
} from './values.ts';

export interface Qualifier {
  /** A constant key, or the step that computes it. */
  readonly key: { readonly constant: Value } | { readonly step: Step };
  readonly optional: boolean;
  /** The last step of `has()`: tests whether the key exists. */
  readonly testOnly: boolean;
}

/** Either a base with qualifiers, or a condition that picks one of two attributes. */
export type Attribute =
  | {
      readonly kind: 'Chain';
      readonly base: Step;
      readonly qualifiers: readonly Qualifier[];
      readonly ofDevice: boolean;
    }
  | { readonly kind: 'Choice'; readonly condition: Step; readonly whenTrue: Attribute; readonly whenFalse: Attribute };

export function qualified(attribute: Attribute, qualifier: Qualifier): Attribute {
  if (attribute.kind === 'Chain') return { ...attribute, qualifiers: [...attribute.qualifiers, qualifier] };
  const { whenTrue, whenFalse } = attribute;
  return { ...attribute, whenTrue: qualified(whenTrue, qualifier), whenFalse: qualified(whenFalse, qualifier) };
}

/** The whole attribute as one step: costs one unit for the base, unless it is a choice or a presence test. */
export function attributeStep(attribute: Attribute): Step {
  if (attribute.kind === 'Choice') return resolver(attribute);
  const test = attribute.qualifiers.at(-1)?.testOnly === true;
  const direct = test ? undefined : deviceField(attribute);
  if (direct) return direct;
  const resolve = resolver(attribute);
  if (test) return (run) => presence(resolve(run));
  return (run) => {
    run.cost += 1;
    return resolve(run);
  };
}

function presence(value: Value): Value {
  return value instanceof CelOptional ? value.value !== undefined : value;
}

/** `device.attributes["domain"].id` and similar chains with constant keys, by far the most common ones. */
function deviceField({ qualifiers, ofDevice }: Extract<Attribute, { kind: 'Chain' }>): Step | undefined {
  const keys = qualifiers.map(({ key, optional }) => ('constant' in key && !optional ? key.constant : undefined));
  const [field, domain, id] = keys;
  if (!ofDevice || typeof field !== 'string') return undefined;
  if (keys.length === 1) return ownField(field);
  if (keys.length !== 3 || typeof domain !== 'string' || typeof id !== 'string') return undefined;
  if (field === 'attributes') return valueIn((run) => run.device.attributes.entries.get(domain), id);
  return field === 'capacity' ? valueIn((run) => run.device.capacity.entries.get(domain), id) : undefined;
}

function ownField(field: string): Step {
  const missing = new CelError(`no such key: ${field}`);
  return (run) => {
    run.cost += 2;
    return run.device.value.entries.get(field) ?? missing;
  };
}

function valueIn(idsOf: (run: Evaluation) => Value | undefined, id: string): Step {
  const missing = new CelError(`no such key: ${id}`);
  return (run) => {
    run.cost += 4;
    const ids = idsOf(run);
    return (ids instanceof StringMap ? ids.entries.get(id) : undefined) ?? missing;
  };
}

/** The value, without the cost of the base. */
export function resolver(attribute: Attribute): Step {
  if (attribute.kind === 'Choice') return chooser(attribute);
  const { base, qualifiers } = attribute;
  if (qualifiers.length === 0) return base;
  return (run) => {
    const value = base(run);
    if (isError(value)) return value;
    if (!(value instanceof CelOptional)) return follow(run, { value, qualifiers, optional: false });
    return value.value === undefined ? value : follow(run, { value: value.value, qualifiers, optional: true });
  };
}

function chooser({ condition, whenTrue, whenFalse }: Extract<Attribute, { kind: 'Choice' }>): Step {
  const yes = resolver(whenTrue);
  const no = resolver(whenFalse);
  return (run) => {
    const value = condition(run);
    if (value === true) return yes(run);
    if (value === false) return no(run);
    return isError(value) ? value : noSuchOverload('_?_:_', value);
  };
}

interface Walk {
  readonly value: Value;
  readonly qualifiers: readonly Qualifier[];
  readonly optional: boolean;
}

/** After an optional value or qualifier the rest of the chain is optional, and a missing key ends the chain with none. */
function follow(run: Evaluation, walk: Walk): Value {
  let { value, optional } = walk;
  for (const qualifier of walk.qualifiers) {
    optional ||= qualifier.optional;
    const next = enter(run, value, { qualifier, optional });
    if (next === undefined) return none;
    if (isError(next)) return next;
    value = next;
  }
  return optional ? new CelOptional(value) : value;
}

/** Undefined where an optional chain ends. */
function enter(
  run: Evaluation,
  value: Value,
  { qualifier, optional }: { readonly qualifier: Qualifier; readonly optional: boolean },
): Value | undefined {
  const key = 'constant' in qualifier.key ? qualifier.key.constant : dynamicKey(qualifier.key.step(run));
  if (isError(key)) return key;
  const found = lookUp(value, key, optional || qualifier.testOnly);
  if (found !== undefined || !optional) run.cost += 1;
  if (optional || (found !== undefined && isError(found))) return found;
  if (qualifier.testOnly) return found !== undefined;
  return found === undefined ? missing(value, key) : found;
}

function missing(value: Value, key: Value): CelError {
  const shown = typeof key === 'object' && key !== null ? typeName(key) : String(key);
  return new CelError(value instanceof CelList ? `index out of bounds: ${shown}` : `no such key: ${shown}`);
}

/** Types that a key may have; any other type is an error even if the value has no keys. */
export function isKey(value: Value): boolean {
  return ['string', 'int', 'uint', 'bool', 'double'].includes(typeName(value));
}

function dynamicKey(value: Value): Value {
  return isError(value) || isKey(value) ? value : new CelError(`invalid qualifier type: ${typeName(value)}`);
}

/** Undefined if the key is missing; a value without keys is an error, except in a presence test. */
function lookUp(value: Value, key: Value, testing: boolean): Value | undefined {
  if (value instanceof CelMap) return value.find(key);
  if (value instanceof CelList) {
    const index = indexOf(key);
    if (isError(index)) return index;
    return typeof index === 'number' && index >= 0 && index < value.size ? value.at(index) : undefined;
  }
  return testing ? undefined : missing(value, key);
}

function indexOf(key: Value): Value {
  if (isInt(key)) return key;
  const whole =
    key instanceof CelDouble ? doubleAsInt(key.value) : key instanceof CelUint ? Number(key.value) : undefined;
  return whole ?? new CelError(`unsupported index type '${typeName(key)}' in list`);
}
