// Equality and order of values across number types, as in CEL: exact ints against doubles, bytes by octet.

import type { Meter } from './meter.ts';
import {
  CelBytes,
  CelDouble,
  CelError,
  CelList,
  CelMap,
  CelOptional,
  CelUint,
  isError,
  isInt,
  Opaque,
  type Value,
} from './values.ts';

/** -1, 0 or 1, or an error if the values have no order. */
export type Order = -1 | 0 | 1 | CelError;

const nan = new CelError('NaN values cannot be ordered');
const overload = new CelError('no such overload');

export function order<T extends string | number | bigint>(a: T, b: T): -1 | 0 | 1 {
  if (a < b) return -1;
  return a > b ? 1 : 0;
}

/** By code point, which is also the order of the UTF-8 bytes; UTF-16 order differs beyond the basic plane. */
export function orderStrings(a: string, b: string): -1 | 0 | 1 {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const x = a.charCodeAt(index);
    const y = b.charCodeAt(index);
    if (x !== y) return order(rank(x), rank(y));
  }
  return order(a.length, b.length);
}

/** Surrogates belong to code points above all other units. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

export function orderBytes(a: Uint8Array, b: Uint8Array): -1 | 0 | 1 {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const x = a[index] ?? 0;
    const y = b[index] ?? 0;
    if (x !== y) return order(x, y);
  }
  return order(a.length, b.length);
}

/** Numbers of any two types; undefined when one is not a number. */
function orderNumbers(a: Value, b: Value): Order | undefined {
  if (isInt(a) && isInt(b)) return order(a, b);
  const x = numberOf(a);
  const y = numberOf(b);
  if (x === undefined || y === undefined) return undefined;
  if (Number.isNaN(x) || Number.isNaN(y)) return nan;
  if (a instanceof CelDouble || b instanceof CelDouble) return orderWithDouble(a, b);
  return order(x, y);
}

function numberOf(value: Value): number | bigint | undefined {
  if (isInt(value)) return value;
  return value instanceof CelDouble || value instanceof CelUint ? value.value : undefined;
}

/** Upstream compares as doubles inside the integer's range, so 2^63-1 equals 2^63 as a double. */
function orderWithDouble(a: Value, b: Value): Order {
  if (!(a instanceof CelDouble)) return negated(orderWithDouble(b, a));
  const [low, high] = b instanceof CelUint ? [0, 2 ** 64] : [-(2 ** 63), 2 ** 63];
  if (!(b instanceof CelDouble) && a.value < low) return -1;
  if (!(b instanceof CelDouble) && a.value > high) return 1;
  return order(a.value, Number(numberOf(b)));
}

function negated(result: Order): Order {
  if (isError(result as Value)) return result;
  return result === 1 ? -1 : result === -1 ? 1 : 0;
}

export function compareValues(a: Value, b: Value): Order {
  const numeric = orderNumbers(a, b);
  if (numeric !== undefined) return numeric;
  if (typeof a === 'string') return typeof b === 'string' ? orderStrings(a, b) : overload;
  if (typeof a === 'boolean') return typeof b === 'boolean' ? order(Number(a), Number(b)) : overload;
  if (a instanceof CelBytes) return b instanceof CelBytes ? orderBytes(a.data, b.data) : overload;
  if (a instanceof Opaque) return a.compare(b) ?? overload;
  return overload;
}

/** `==`: false across types, an error only for upstream's own value types that return one. */
export function equals(meter: Meter, a: Value, b: Value): boolean | CelError {
  if (a === b) return !(a instanceof CelDouble && Number.isNaN(a.value));
  if (a === null || b === null) return false;
  return strictlyEquals(meter, a, b);
}

/** Equality by the left value's type, without the special case for null; `in` and the set functions use this one. */
export function strictlyEquals(meter: Meter, a: Value, b: Value): boolean | CelError {
  if (a === null || typeof a !== 'object') return a === b || (isInt(a) && orderNumbers(a, b) === 0);
  if (a instanceof CelDouble || a instanceof CelUint) return orderNumbers(a, b) === 0;
  return objectsEqual(meter, a, b);
}

function objectsEqual(
  meter: Meter,
  a: Exclude<Value, boolean | string | number | bigint | null | CelDouble | CelUint>,
  b: Value,
): boolean | CelError {
  if (a instanceof CelList) return b instanceof CelList && listsEqual(meter, a, b);
  if (a instanceof CelMap) return b instanceof CelMap && mapsEqual(meter, a, b);
  if (a instanceof CelOptional) return b instanceof CelOptional && optionalsEqual(meter, a, b);
  if (a instanceof CelError) return a;
  if (a instanceof CelBytes) return b instanceof CelBytes && orderBytes(a.data, b.data) === 0;
  return a.equals(b);
}

function listsEqual(meter: Meter, a: CelList, b: CelList): boolean {
  if (a.size !== b.size) return false;
  meter.work(a.size);
  for (let index = 0; index < a.size; index++) {
    if (equals(meter, a.at(index), b.at(index)) === false) return false;
  }
  return true;
}

function mapsEqual(meter: Meter, a: CelMap, b: CelMap): boolean {
  if (a.size !== b.size) return false;
  meter.work(a.size);
  for (const key of a.keys()) {
    const left = a.get(key);
    const right = b.find(key);
    if (left === undefined || right === undefined || equals(meter, left, right) === false) return false;
  }
  return true;
}

function optionalsEqual(meter: Meter, a: CelOptional, b: CelOptional): boolean | CelError {
  if (a.value === undefined || b.value === undefined) return a.value === b.value;
  return strictlyEquals(meter, a.value, b.value);
}
