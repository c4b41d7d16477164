// cel-go's set functions over lists.
import { strictlyEquals } from '../compare.ts';
import { sizeOf } from '../costs.ts';
import { type Cost, type FunctionDeclaration, fn, global } from '../declare.ts';
import type { Meter } from '../meter.ts';
import { bool, listOf, param } from '../types.ts';
import { CelError, CelList, type Value } from '../values.ts';

function has(meter: Meter, list: CelList, item: Value): boolean {
  meter.work(list.size);
  for (let index = 0; index < list.size; index++) {
    if (strictlyEquals(meter, item, list.at(index)) === true) return true;
  }
  return false;
}

function test(holds: (meter: Meter, x: CelList, y: CelList) => boolean) {
  return (meter: Meter, x: Value, y: Value): Value =>
    x instanceof CelList && y instanceof CelList ? holds(meter, x, y) : new CelError('no such overload');
}

const contains = (meter: Meter, x: CelList, y: CelList) => [...y].every((item) => has(meter, x, item));
const intersects = (meter: Meter, x: CelList, y: CelList) => [...x].some((item) => has(meter, y, item));
const equivalent = (meter: Meter, x: CelList, y: CelList) => contains(meter, x, y) && contains(meter, y, x);

const list = listOf(param('T'));
const cost =
  (factor: number): Cost =>
  ([x, y]) =>
    1 + sizeOf(x ?? null) * sizeOf(y ?? null) * factor;

export const sets: readonly FunctionDeclaration[] = [
  fn('sets.contains', { ...global('list_sets_contains_list', [list, list, bool], test(contains)), cost: cost(1) }),
  fn('sets.equivalent', {
    ...global('list_sets_equivalent_list', [list, list, bool], test(equivalent)),
    cost: cost(2),
  }),
  fn('sets.intersects', {
    ...global('list_sets_intersects_list', [list, list, bool], test(intersects)),
    cost: cost(1),
  }),
];
