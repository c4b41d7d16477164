// Kubernetes quantities, exact to the nano unit, with upstream's two internal forms, which `isInteger` reveals.

import { Abort } from './abort.ts';
import { order } from './compare.ts';
import { int, maxInt, minInt } from './int.ts';
import { CelError, type Int, Opaque, type Value } from './values.ts';

/** Maximum scaling in digits; above it upstream computes for minutes, and this evaluator aborts. */
const maxShift = 4000;

/** `unscaled` times ten to `scale`. */
export class Quantity extends Opaque {
  override readonly kind = 'kubernetes.Quantity';
  readonly unscaled: bigint;
  readonly scale: number;
  /** Upstream's arbitrary-precision form: it never converts to an integer. */
  readonly big: boolean;
  /** Result of `add` or `sub`: upstream fails if such a value is on the right of `==`. */
  readonly computed: boolean;
  /** The value as a number if that is exact; comparison starts with it. */
  readonly exact: number | undefined;

  constructor(amount: Amount, computed = false) {
    super();
    this.unscaled = amount.unscaled;
    this.scale = amount.scale;
    this.big = amount.big;
    this.computed = computed;
    const plain = Number(amount.unscaled);
    this.exact = amount.scale === 0 && Number.isSafeInteger(plain) ? plain : undefined;
  }

  override equals(other: Value): boolean | CelError {
    if (!(other instanceof Quantity) || other.computed) return new CelError('no such overload');
    return compareQuantities(this, other) === 0;
  }
}

export interface Amount {
  readonly unscaled: bigint;
  readonly scale: number;
  readonly big: boolean;
}

export function sign(amount: Amount): -1 | 0 | 1 {
  if (amount.unscaled === 0n) return 0;
  return amount.unscaled > 0n ? 1 : -1;
}

export function compareQuantities(a: Quantity, b: Quantity): -1 | 0 | 1 {
  if (a.exact !== undefined && b.exact !== undefined) return order(a.exact, b.exact);
  const bySign = sign(a) - sign(b);
  if (bySign !== 0) return bySign < 0 ? -1 : 1;
  if (sign(a) === 0) return 0;
  const byLength = magnitude(a) - magnitude(b);
  if (byLength !== 0) return byLength < 0 === sign(a) > 0 ? -1 : 1;
  const scale = Math.min(a.scale, b.scale);
  const x = shiftedBy(a.unscaled, a.scale - scale);
  const y = shiftedBy(b.unscaled, b.scale - scale);
  return order(x, y);
}

/** Power of ten just above the value, so that very different values need no common scale. */
function magnitude(amount: Amount): number {
  const digits = amount.unscaled.toString();
  return digits.length - (amount.unscaled < 0n ? 1 : 0) + amount.scale;
}

export function shiftedBy(value: bigint, digits: number): bigint {
  if (digits > maxShift) throw new Abort('quantity is out of the range that can be computed with');
  return value * 10n ** BigInt(digits);
}

export function add(a: Quantity, b: Amount): Quantity {
  return new Quantity(smallSum(a, b) ?? bigSum(a, b), true);
}

/** int64 arithmetic, which upstream tries first; undefined on overflow. */
function smallSum(a: Amount, b: Amount): Amount | undefined {
  if (a.big || b.big) return undefined;
  if (b.unscaled === 0n) return a;
  if (a.unscaled === 0n) return b;
  const scale = Math.min(a.scale, b.scale);
  if (Math.max(a.scale, b.scale) - scale > 18) return undefined;
  const x = shiftedBy(a.unscaled, a.scale - scale);
  const y = shiftedBy(b.unscaled, b.scale - scale);
  return [x, y, x + y].every(fitsInt64) ? { unscaled: x + y, scale, big: false } : undefined;
}

function bigSum(a: Amount, b: Amount): Amount {
  const scale = Math.min(a.scale, b.scale);
  const sum = shiftedBy(a.unscaled, a.scale - scale) + shiftedBy(b.unscaled, b.scale - scale);
  return { unscaled: sum, scale, big: true };
}

/** In int64 arithmetic the negated minimum is the minimum itself, as in Go. */
export function subtract(a: Quantity, b: Amount): Quantity {
  const wrapped = { ...b, unscaled: BigInt.asIntN(64, -b.unscaled) };
  const exact = { ...b, unscaled: -b.unscaled };
  return new Quantity(smallSum(a, wrapped) ?? bigSum(a, exact), true);
}

export function fitsInt64(value: bigint): boolean {
  return value <= maxInt && value >= minInt;
}

/** Undefined unless upstream stores the value as an int64 without a fraction. */
export function asInteger(quantity: Quantity): Int | undefined {
  if (quantity.big || quantity.scale < 0) return undefined;
  if (quantity.scale === 0) return int(quantity.unscaled);
  if (quantity.unscaled === 0n) return 0;
  if (quantity.scale > 18) return undefined;
  const value = shiftedBy(quantity.unscaled, quantity.scale);
  return fitsInt64(value) ? int(value) : undefined;
}

/** Go's `Pow10` is a product of two table entries, which affects the last bit. */
export function asDouble(quantity: Quantity): number {
  const base = Number(quantity.unscaled);
  const { scale } = quantity;
  if (scale === 0) return base;
  if (scale > 308) return base * Number.POSITIVE_INFINITY;
  if (scale < -323) return base * 0;
  const steps = Math.trunc(Math.abs(scale) / 32) * 32;
  const rest = Math.abs(scale) % 32;
  return base * (scale > 0 ? Number(`1e${steps}`) * Number(`1e${rest}`) : Number(`1e-${steps}`) / Number(`1e${rest}`));
}

/** Upstream stores a decimal exponent in 32 bits. */
export function wrappedScale(scale: bigint): number {
  return Number(BigInt.asIntN(32, scale));
}
