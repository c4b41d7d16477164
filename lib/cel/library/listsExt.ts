// cel-go's list extension, version 3, in Kubernetes from 1.34.
import { Abort } from '../abort.ts';
import { compareValues, strictlyEquals } from '../compare.ts';
import { sizeOf } from '../costs.ts';
import { type Cost, type FunctionDeclaration, fn, global, member, type Overload, oneFor } from '../declare.ts';
import type { Meter } from '../meter.ts';
import { dyn, intType, listOf, param, type Type } from '../types.ts';
import { CelBytes, CelError, CelList, type Int, typeName, type Value } from '../values.ts';
import { comparable } from './lists.ts';

const t = param('T');
const list = listOf(t);
/** Upstream's own bound on `lists.range`. */
const maxRange = 1_000_000;
const create = 11;

const asList = (value: Value | undefined) => value as CelList;
const asNumber = (value: Value | undefined) => Number(value as Int);
export const ofOutput: Cost = (_, result) => sizeOf(result) + create;

/** Upstream panics while computing the cost of anything but a list, even of an error that would have been absorbed. */
function ofSelfCompare(values: Value | undefined): number {
  if (!(values instanceof CelList)) throw new Abort('a value that is not a list cannot be compared with itself');
  const first = values.size === 0 ? 0 : values.at(0);
  const factor = typeof first === 'string' || first instanceof CelBytes ? 2.1 : 2;
  return Math.trunc(values.size * values.size * factor) + create;
}

function slice(meter: Meter, values: Value, start: Value, end: Value | undefined): Value {
  const [from, to, size] = [asNumber(start), asNumber(end), asList(values).size];
  if (from < 0 || to < 0) return new CelError(`cannot slice(${from}, ${to}), negative indexes not supported`);
  if (from > to)
    return new CelError(`cannot slice(${from}, ${to}), start index must be less than or equal to end index`);
  if (size < to) return new CelError(`cannot slice(${from}, ${to}), list is length ${size}`);
  meter.work(to - from);
  return new CelList(asList(values).items.slice(from, to));
}

function flatten(meter: Meter, values: Value, depth: Value | undefined): Value {
  if (!(values instanceof CelList)) return new CelError('no such overload: flatten');
  const levels = depth === undefined ? 1 : asNumber(depth);
  if (levels < 0) return new CelError('level must be non-negative');
  const result: Value[] = [];
  flattenInto(meter, result, { values, levels });
  return new CelList(result);
}

function flattenInto(meter: Meter, result: Value[], { values, levels }: { values: CelList; levels: number }): void {
  meter.work(values.size);
  for (const item of values) {
    if (item instanceof CelList && levels > 0) flattenInto(meter, result, { values: item, levels: levels - 1 });
    else result.push(item);
  }
}

/** Stable; upstream's order of equal keys is undefined. */
function sortBy(meter: Meter, values: Value, keys: Value): Value {
  const [sorted, by] = [asList(values), asList(keys)];
  if (sorted.size !== by.size) return new CelError('the keys to sort by are not as many as the elements');
  if (sorted.size === 0) return sorted;
  meter.work(sorted.size * Math.ceil(Math.log2(sorted.size + 1)) * 4);
  const first = typeName(by.at(0));
  if (compareValues(by.at(0), by.at(0)) instanceof CelError && first !== 'double') {
    return new CelError('list elements must be comparable');
  }
  if (sorted.size > 1 && [...by].some((key) => typeName(key) !== first)) {
    return new CelError('list elements must have the same type');
  }
  const order = Array.from({ length: sorted.size }, (_, index) => index);
  order.sort((x, y) => {
    const result = compareValues(by.at(x), by.at(y));
    return result instanceof CelError ? 0 : result;
  });
  return new CelList(order.map((index) => sorted.at(index)));
}

export function listRange(meter: Meter, size: Value): Value {
  const length = asNumber(size);
  if (length < 0) return new CelError(`lists.range: size must be non-negative, got ${length}`);
  if (length > maxRange) return new CelError(`lists.range: size ${length} exceeds maximum allowed (${maxRange})`);
  meter.work(length);
  return new CelList(Array.from({ length }, (_, index) => index));
}

function reverse(meter: Meter, values: Value): Value {
  meter.work(asList(values).size);
  return new CelList([...asList(values)].reverse());
}

function distinct(meter: Meter, values: Value): Value {
  const result: Value[] = [];
  for (const item of asList(values)) {
    meter.work(result.length);
    if (!result.some((known) => strictlyEquals(meter, item, known) === true)) result.push(item);
  }
  return new CelList(result);
}

const costed = (cost: Cost, overload: Overload): Overload => ({ ...overload, cost });
const first: Cost = (args) => ofSelfCompare(args[0]);
const second: Cost = (args) => ofSelfCompare(args[1]);
const flattened: Cost = (args) => {
  const depth = args.length === 2 ? asNumber(args[1]) : 1;
  return Math.trunc(sizeOf(args[0] ?? null) * (depth < 0 ? 1 : depth)) + create;
};
const forEach = (make: (type: Type) => Overload) => comparable.map(make);

export const listsExt: readonly FunctionDeclaration[] = [
  fn('slice', costed(ofOutput, member('list_slice', [list, intType, intType, list], slice))),
  {
    ...fn(
      'flatten',
      costed(
        flattened,
        member('list_flatten', [listOf(list), list], (meter, values) => flatten(meter, values, undefined)),
      ),
      costed(flattened, member('list_flatten_int', [listOf(dyn), intType, listOf(dyn)], flatten)),
    ),
    unguarded: true,
  },
  oneFor(
    'sort',
    (meter, values) =>
      values instanceof CelList ? sortBy(meter, values, values) : new CelError('no such overload: sort'),
    ...forEach((type) => costed(first, member(`list_${type.name}_sort`, [listOf(type), listOf(type)]))),
  ),
  oneFor(
    '@sortByAssociatedKeys',
    (meter, values, keys) => {
      const both = values instanceof CelList && keys instanceof CelList;
      return both ? sortBy(meter, values, keys) : new CelError('no such overload: sortBy');
    },
    ...forEach((type) => costed(second, member(`list_${type.name}_sortBy`, [list, listOf(type), list]))),
  ),
  fn('lists.range', costed(ofOutput, global('lists_range', [intType, listOf(intType)], listRange))),
  fn('reverse', costed(ofOutput, member('list_reverse', [list, list], reverse))),
  fn('distinct', costed(first, member('list_distinct', [list, list], distinct))),
];
