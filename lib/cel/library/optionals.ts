// Creates, tests and unwraps optional values; `or` and `orValue` evaluate their argument only if needed.
import { type FunctionDeclaration, fn, global, member } from '../declare.ts';
import type { Meter } from '../meter.ts';
import { Duration, Timestamp } from '../time.ts';
import { bool, listOf, optionalOf, param } from '../types.ts';
import { CelBytes, CelDouble, CelError, CelList, CelMap, CelOptional, CelUint, none, type Value } from '../values.ts';

const v = param('V');
const optional = optionalOf(v);

/** 0001-01-01T00:00:00Z, Go's zero time. */
const zeroSeconds = -62_135_596_800;

function isZero(value: Value): boolean {
  if (value === null || typeof value !== 'object') return !value;
  if (value instanceof CelDouble) return value.value === 0;
  if (value instanceof CelUint) return value.value === 0n;
  if (value instanceof CelBytes) return value.data.length === 0;
  if (value instanceof CelList || value instanceof CelMap) return value.size === 0;
  if (value instanceof Duration) return value.nanos === 0;
  return value instanceof Timestamp && value.seconds === zeroSeconds && value.nanos === 0;
}

function value(_: Meter, target: Value): Value {
  if (!(target instanceof CelOptional)) return new CelError('no such overload: value');
  return target.value === undefined ? new CelError('optional.none() dereference') : target.value;
}

function hasValue(_: Meter, target: Value): Value {
  return target instanceof CelOptional ? target.value !== undefined : new CelError('no such overload: hasValue');
}

function lastOrFirst(last: boolean) {
  return (_: Meter, list: Value): Value => {
    if (!(list instanceof CelList)) return new CelError('no such overload');
    return list.size === 0 ? none : new CelOptional(list.at(last ? list.size - 1 : 0));
  };
}

function unwrap(meter: Meter, list: Value): Value {
  const values: Value[] = [];
  for (const item of list as CelList) {
    meter.work(1);
    if (!(item instanceof CelOptional)) return new CelError('value is not optional');
    if (item.value !== undefined) values.push(item.value);
  }
  return new CelList(values);
}

export const optionals: readonly FunctionDeclaration[] = [
  fn(
    'optional.of',
    global('optional_of', [v, optional], (_, of) => new CelOptional(of)),
  ),
  fn(
    'optional.ofNonZeroValue',
    global('optional_ofNonZeroValue', [v, optional], (_, of) => (isZero(of) ? none : new CelOptional(of))),
  ),
  fn(
    'optional.none',
    global('optional_none', [optional], () => none),
  ),
  fn('value', member('optional_value', [optional, v], value)),
  fn('hasValue', member('optional_hasValue', [optional, bool], hasValue)),
  fn('or', member('optional_or_optional', [optional, optional, optional])),
  fn('orValue', member('optional_orValue_value', [optional, v, v])),
];

const listOfOptionals = listOf(optional);

/** From Kubernetes 1.33. */
export const optionalLists: readonly FunctionDeclaration[] = [
  fn('last', member('list_last', [listOf(v), optional], lastOrFirst(true))),
  fn('first', member('list_first', [listOf(v), optional], lastOrFirst(false))),
  fn('optional.unwrap', global('optional_unwrap', [listOfOptionals, listOf(v)], unwrap)),
  fn('unwrapOpt', member('optional_unwrapOpt', [listOfOptionals, listOf(v)], unwrap)),
];
