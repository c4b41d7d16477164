// The Kubernetes list library: order, sums, extremes, positions and membership.
import { compareValues, strictlyEquals } from '../compare.ts';
import { ofTraversal } from '../costs.ts';
import { type Cost, costing, type FunctionDeclaration, fn, type Implementation, member } from '../declare.ts';
import { addInt, checkedUint } from '../int.ts';
import type { Meter } from '../meter.ts';
import { addDurations, Duration } from '../time.ts';
import { bool, bytes, double, duration, dyn, intType, listOf, param, string, timestamp, uint } from '../types.ts';
import { CelDouble, CelError, CelList, CelUint, isError, isInt, type Value } from '../values.ts';

export const comparable = [intType, uint, double, bool, duration, timestamp, string, bytes];
const cost: Cost = (args) => ofTraversal(args[0] ?? null);
const overload = new CelError('no such overload');

function isSorted(_: Meter, list: Value): Value {
  let before: Value | undefined;
  for (const item of list as CelList) {
    if (!canCompare(item)) return overload;
    if (before !== undefined && compareValues(before, item) === 1) return false;
    before = item;
  }
  return true;
}

function canCompare(value: Value): boolean {
  return !(compareValues(value, value) instanceof CelError) || value instanceof CelDouble;
}

/** The first of the greatest (1) or least (-1) values; values that cannot be compared with the current one are skipped. */
function extreme(name: string, wanted: 1 | -1): Implementation {
  return (_, list) => {
    let best: Value | undefined;
    for (const item of list as CelList) {
      if (!canCompare(item)) return overload;
      if (best === undefined || compareValues(item, best) === wanted) best = item;
    }
    return best ?? new CelError(`${name} called on empty list`);
  };
}

function sum(zero: Value): Implementation {
  return (_, list) => {
    let total = zero;
    for (const item of list as CelList) {
      total = added(total, item);
      if (isError(total)) return total;
    }
    return total;
  };
}

function added(x: Value, y: Value): Value {
  if (isInt(x) && isInt(y)) return addInt(x, y);
  if (x instanceof CelDouble && y instanceof CelDouble) return new CelDouble(x.value + y.value);
  if (x instanceof CelUint && y instanceof CelUint) return checkedUint(x.value + y.value);
  return x instanceof Duration && y instanceof Duration ? addDurations(x, y) : overload;
}

function position(last: boolean): Implementation {
  return (meter, list, item) => {
    if (!(list instanceof CelList)) return overload;
    meter.work(list.size);
    for (let step = 0; step < list.size; step++) {
      const index = last ? list.size - 1 - step : step;
      if (strictlyEquals(meter, list.at(index), item) === true) return index;
    }
    return -1;
  };
}

/** Whether a list contains the value, or a single value equals it. */
export function includes(meter: Meter, target: Value, item: Value): Value {
  const items = target instanceof CelList ? target : [target];
  for (const each of items) {
    meter.work(1);
    if (strictlyEquals(meter, each, item) === true) return true;
  }
  return false;
}

const a = param('A');
const zeros = new Map<string, Value>([
  ['int', 0],
  ['uint', new CelUint(0n)],
  ['double', new CelDouble(0)],
  [duration.name, new Duration(0)],
]);
const summable = [intType, uint, double, duration];

export const lists: readonly FunctionDeclaration[] = [
  fn('isSorted', ...comparable.map((type) => member(`list_${type.name}_is_sorted`, [listOf(type), bool], isSorted))),
  fn(
    'sum',
    ...summable.map((type) => member(`list_${type.name}_sum`, [listOf(type), type], sum(zeros.get(type.name) ?? null))),
  ),
  fn('max', ...comparable.map((type) => member(`list_${type.name}_max`, [listOf(type), type], extreme('max', 1)))),
  fn('min', ...comparable.map((type) => member(`list_${type.name}_min`, [listOf(type), type], extreme('min', -1)))),
  fn('indexOf', member('list_a_index_of_int', [listOf(a), a, intType], position(false))),
  fn('lastIndexOf', member('list_a_last_index_of_int', [listOf(a), a, intType], position(true))),
].map((declaration) => costing(cost, declaration));

/** From Kubernetes 1.37 on. */
export const inclusion: readonly FunctionDeclaration[] = [
  costing(cost, fn('includes', member('list_includes_dyn_dyn', [dyn, dyn, bool], includes))),
];
