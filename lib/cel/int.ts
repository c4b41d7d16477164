// Exact int64 and uint64 arithmetic: an overflow or a division by zero is an error, never a wrong number.
import { CelError, CelUint, type Int, type Value } from './values.ts';

export const maxInt = 2n ** 63n - 1n;
export const minInt = -(2n ** 63n);
export const maxUint = 2n ** 64n - 1n;

const overflow = new CelError('integer overflow');
const unsignedOverflow = new CelError('unsigned integer overflow');
export const divisionByZero = new CelError('division by zero');
export const modulusByZero = new CelError('modulus by zero');

/** The canonical form of a value that is known to fit. */
export function int(value: bigint): Int {
  const small = Number(value);
  return Number.isSafeInteger(small) ? small : value;
}

export function checkedInt(value: bigint): Int | CelError {
  return value > maxInt || value < minInt ? overflow : int(value);
}

export function checkedUint(value: bigint): CelUint | CelError {
  return value > maxUint || value < 0n ? unsignedOverflow : new CelUint(value);
}

export function addInt(a: Int, b: Int): Int | CelError {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return checkedInt(BigInt(a) + BigInt(b));
}

export function subtractInt(a: Int, b: Int): Int | CelError {
  if (typeof a === 'number' && typeof b === 'number') {
    const difference = a - b;
    if (Number.isSafeInteger(difference)) return difference;
  }
  return checkedInt(BigInt(a) - BigInt(b));
}

export function multiplyInt(a: Int, b: Int): Int | CelError {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b;
    if (Number.isSafeInteger(product)) return product === 0 ? 0 : product;
  }
  return checkedInt(BigInt(a) * BigInt(b));
}

/** Truncates toward zero, as Go does. */
export function divideInt(a: Int, b: Int): Int | CelError {
  if (b === 0) return divisionByZero;
  if (typeof a === 'number' && typeof b === 'number') return Math.trunc(a / b) || 0;
  return checkedInt(BigInt(a) / BigInt(b));
}

/** The sign follows the dividend; the least int modulo -1 is an overflow upstream. */
export function moduloInt(a: Int, b: Int): Int | CelError {
  if (b === 0) return modulusByZero;
  if (typeof a === 'number' && typeof b === 'number') return a % b || 0;
  if (BigInt(a) === minInt && b === -1) return overflow;
  return int(BigInt(a) % BigInt(b));
}

export function negateInt(a: Int): Int | CelError {
  if (typeof a === 'number') return a === 0 ? 0 : -a;
  return checkedInt(-a);
}

/** Digits with an optional sign, as Go's `strconv.ParseInt` in base 10. */
export function parseInt64(text: string): Int | undefined {
  if (!/^[+-]?[0-9]+$/.test(text)) return undefined;
  const value = BigInt(text.replace(/^\+/, ''));
  return value > maxInt || value < minInt ? undefined : int(value);
}

export function parseUint64(text: string): bigint | undefined {
  if (!/^[0-9]+$/.test(text)) return undefined;
  const value = BigInt(text);
  return value > maxUint ? undefined : value;
}

/** A double's whole part as int64; both ends of the range are refused, as upstream does. */
export function intOfDouble(value: number): Value {
  const edge = 2 ** 63;
  return value > -edge && value < edge ? int(BigInt(Math.trunc(value))) : overflow;
}

export function uintOfDouble(value: number): Value {
  return value >= 0 && value < 2 ** 64 ? new CelUint(BigInt(Math.trunc(value))) : unsignedOverflow;
}

/** A double that is a whole number of int64, as that int. */
export function doubleAsInt(value: number): Int | undefined {
  if (!Number.isInteger(value) || value <= -(2 ** 63) || value >= 2 ** 63) return undefined;
  return Number.isSafeInteger(value) ? value || 0 : BigInt(value);
}

export function doubleAsUint(value: number): bigint | undefined {
  return Number.isInteger(value) && value >= 0 && value < 2 ** 64 ? BigInt(value) : undefined;
}
