// Behaviour of functions before Kubernetes 1.37, whose cel-go corrected it.
import { codePoints } from '../costs.ts';
import { type FunctionDeclaration, fn, global, type Implementation, member } from '../declare.ts';
import { emptyList } from '../list.ts';
import type { Meter } from '../meter.ts';
import { bool, duration, dyn, intType, listOf, string } from '../types.ts';
import { CelError, CelList, type Value } from '../values.ts';
import { includes } from './lists.ts';
import { listRange, ofOutput } from './listsExt.ts';
import { indexOf, lastIndexOf } from './strings.ts';

/** Searching for the empty string returned the offset unchanged; in 1.31 an offset beyond the string was an error. */
function found(search: Implementation, minor: number): Implementation {
  return (meter, subject, part, offset, d) => {
    if (offset !== undefined && part === '') return offset;
    const isBeyond = typeof subject === 'string' && Number(offset ?? 0) >= codePoints(subject);
    if (minor < 32 && part !== '' && isBeyond) return new CelError(`index out of range: ${String(offset ?? 0)}`);
    return search(meter, subject, part, offset, d);
  };
}

/** Up to 1.33, `lastIndexOf` of a non-empty string in an empty one failed. */
function last(minor: number): Implementation {
  const search = found(lastIndexOf, minor);
  const inEmpty = new CelError('index out of range: -1');
  return (meter, subject, part, offset, d) =>
    minor < 34 && subject === '' && part !== '' && offset === undefined
      ? inEmpty
      : search(meter, subject, part, offset, d);
}

/** An overload that always failed. */
function noDuration(_: unknown, value: Value): Value {
  return new CelError(`type conversion error from 'int' to 'google.protobuf.Duration': ${String(value)}`);
}

/** Maximum number of values that all attributes of a device can have together. */
const mostIncluded = 48;

/** A value not found among more values than that was an error, and a call cost one unit for any number of values. */
function includesOfFew(meter: Meter, target: Value, item: Value): Value {
  if (!(target instanceof CelList) || target.size <= mostIncluded) return includes(meter, target, item);
  const isFound = includes(meter, new CelList([...target].slice(0, mostIncluded)), item);
  return isFound === false
    ? new CelError(`'includes' function cannot be applied to lists longer than ${mostIncluded} values`)
    : isFound;
}

/** In Kubernetes 1.36 with list-type attributes; from 1.37 on it is a function of all lists. */
export const inclusion136: readonly FunctionDeclaration[] = [
  fn('includes', member('dra_includes_dyn_dyn', [dyn, dyn, bool], includesOfFew)),
];

export function before137(minor: number): readonly FunctionDeclaration[] {
  const first = found(indexOf, minor);
  const atLast = last(minor);
  const range: Implementation = (meter, count) => (Number(count) < 0 ? emptyList : listRange(meter, count));
  return [
    fn(
      'indexOf',
      member('string_index_of_string', [string, string, intType], first),
      member('string_index_of_string_int', [string, string, intType, intType], first),
    ),
    fn(
      'lastIndexOf',
      member('string_last_index_of_string', [string, string, intType], atLast),
      member('string_last_index_of_string_int', [string, string, intType, intType], atLast),
    ),
    fn('duration', global('int64_to_duration', [intType, duration], noDuration)),
    ...(minor >= 34
      ? [fn('lists.range', { ...global('lists_range', [intType, listOf(intType)], range), cost: ofOutput })]
      : []),
  ];
}
