// Operators, `size` and membership: one implementation each, which checks the operands' run-time types.

import { compareValues, strictlyEquals } from '../compare.ts';
import { ofBoth, ofShorter, sizeOf } from '../costs.ts';
import { type FunctionDeclaration, global, type Implementation, member, type Overload, oneFor } from '../declare.ts';
import type { Meter } from '../meter.ts';
import {
  bool,
  bytes,
  double,
  duration,
  intType,
  listOf,
  mapOf,
  optionalOf,
  param,
  string,
  type Type,
  timestamp,
  uint,
} from '../types.ts';
import { CelBytes, CelError, CelList, CelMap, noSuchOverload, type Value } from '../values.ts';
import { addition, division, modulo, multiplication, negate, subtraction } from './arithmetic.ts';

const a = param('A');
const b = param('B');

const same = (id: string, ...types: readonly Type[]): readonly Overload[] =>
  types.map((type) => global(`${id}_${type.name}`, [type, type, type]));

const ordered = [bool, string, bytes, timestamp, duration];
const numbers = [intType, uint, double];

/** Ordering operators take two values of one ordered type, or numbers of any two types. */
function comparison(name: string, holds: (order: number) => boolean): FunctionDeclaration {
  const run: Implementation = (_, x, y) => {
    const result = compareValues(x, y);
    return result instanceof CelError ? result : holds(result);
  };
  const pairs = numbers.flatMap((x) => numbers.map((y) => global(`${name}_${x.name}_${y.name}`, [x, y, bool])));
  const alike = ordered.map((type) => ({
    ...global(`${name}_${type.name}`, [type, type, bool]),
    ...(type === string || type === bytes ? { cost: ofShorter } : {}),
  }));
  return oneFor(name, run, ...pairs, ...alike);
}

function size(_: Meter, x: Value): Value {
  const sized = typeof x === 'string' || x instanceof CelBytes || x instanceof CelList || x instanceof CelMap;
  return sized ? sizeOf(x) : noSuchOverload('size', x);
}

function isIn(meter: Meter, x: Value, y: Value): Value {
  if (y instanceof CelMap) return y.get(x) !== undefined;
  if (!(y instanceof CelList)) return noSuchOverload('@in', x, y);
  meter.work(y.size);
  for (let index = 0; index < y.size; index++) if (strictlyEquals(meter, x, y.at(index)) === true) return true;
  return false;
}

const sized = [bytes, listOf(a), mapOf(a, b), string];

export const operators: readonly FunctionDeclaration[] = [
  oneFor('_?_:_', () => null, global('conditional', [bool, a, a, a])),
  oneFor('_==_', () => null, global('equals', [a, a, bool])),
  oneFor('_!=_', () => null, global('not_equals', [a, a, bool])),
  oneFor('!_', (_, x) => (typeof x === 'boolean' ? !x : noSuchOverload('!_', x)), global('logical_not', [bool, bool])),
  oneFor('-_', negate, global('negate_double', [double, double]), global('negate_int64', [intType, intType])),
  oneFor(
    '_+_',
    addition,
    { ...global('add_bytes', [bytes, bytes, bytes]), cost: ofBoth },
    ...same('add', double, duration),
    global('add_duration_timestamp', [duration, timestamp, timestamp]),
    global('add_timestamp_duration', [timestamp, duration, timestamp]),
    ...same('add', intType, listOf(a)),
    { ...global('add_string', [string, string, string]), cost: ofBoth },
    ...same('add', uint),
  ),
  oneFor(
    '_-_',
    subtraction,
    ...same('subtract', double, duration, intType),
    global('subtract_timestamp_duration', [timestamp, duration, timestamp]),
    global('subtract_timestamp_timestamp', [timestamp, timestamp, duration]),
    ...same('subtract', uint),
  ),
  oneFor('_*_', multiplication, ...same('multiply', double, intType, uint)),
  oneFor('_/_', division, ...same('divide', double, intType, uint)),
  oneFor('_%_', modulo, ...same('modulo', intType, uint)),
  comparison('_<_', (order) => order < 0),
  comparison('_<=_', (order) => order <= 0),
  comparison('_>_', (order) => order > 0),
  comparison('_>=_', (order) => order >= 0),
  oneFor(
    '_[_]',
    () => null,
    global('index_list', [listOf(a), intType, a]),
    global('index_map', [mapOf(a, b), a, b]),
    global('optional_list_index_int', [optionalOf(listOf(a)), intType, optionalOf(a)]),
    global('optional_map_index_value', [optionalOf(mapOf(a, b)), a, optionalOf(b)]),
  ),
  oneFor(
    '_[?_]',
    () => null,
    global('list_optindex_optional_int', [listOf(a), intType, optionalOf(a)]),
    global('optional_list_optindex_optional_int', [optionalOf(listOf(a)), intType, optionalOf(a)]),
    global('map_optindex_optional_value', [mapOf(a, b), a, optionalOf(b)]),
    global('optional_map_optindex_optional_value', [optionalOf(mapOf(a, b)), a, optionalOf(b)]),
  ),
  oneFor(
    '@in',
    isIn,
    { ...global('in_list', [a, listOf(a), bool]), cost: (args) => sizeOf(args[1] ?? null) },
    global('in_map', [a, mapOf(a, b), bool]),
  ),
  oneFor(
    'size',
    size,
    ...sized.map((type) => global(`size_${type.name}`, [type, intType])),
    ...sized.map((type) => member(`${type.name}_size`, [type, intType])),
  ),
  oneFor('@not_strictly_false', (_, x) => x, global('not_strictly_false', [bool, bool])),
];
