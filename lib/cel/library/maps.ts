// The internal function behind `transformMap` and `transformMapEntry`: inserts an entry and fails if the key exists.
import { type FunctionDeclaration, fn, global } from '../declare.ts';
import { ScalarMap } from '../map.ts';
import type { Meter } from '../meter.ts';
import { mapOf, param } from '../types.ts';
import { CelError, CelMap, type Value } from '../values.ts';

const k = param('K');
const v = param('V');
const map = mapOf(k, v);

function insert(meter: Meter, into: Value, key: Value, value: Value): Value {
  meter.work(into instanceof CelMap ? into.size : 0);
  if (!(into instanceof ScalarMap)) return new CelError('no such overload');
  return into.with(key, value) ?? new CelError('insert failed: key already exists');
}

function insertAll(meter: Meter, into: Value, entries: Value): Value {
  if (!(entries instanceof CelMap)) return new CelError('no such overload');
  let result = into;
  for (const key of entries.keys()) {
    result = insert(meter, result, key, entries.get(key) ?? null);
    if (result instanceof CelError) return result;
  }
  return result;
}

export const maps: readonly FunctionDeclaration[] = [
  fn(
    'cel.@mapInsert',
    global('@mapInsert_map_key_value', [map, k, v, map], (meter, into, key, value) =>
      insert(meter, into, key, value ?? null),
    ),
    global('@mapInsert_map_map', [map, map, map], insertAll),
  ),
];
