// The cost of calls, as in cel-go's run-time tracker and the cost table of the Kubernetes libraries.
import { CelBytes, CelList, CelMap, CelOptional, Opaque, type Value } from './values.ts';

/** Traversing a string costs a tenth of its length, rounded up. */
export function traversal(size: number): number {
  return Math.ceil(size * 0.1);
}

export function codePoints(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0xd800 && unit <= 0xdbff) count--;
  }
  return count;
}

/** The size CEL charges for: code points, bytes, elements or entries; everything else counts as 1. */
export function sizeOf(value: Value): number {
  if (typeof value === 'string') return codePoints(value);
  if (value === null || typeof value !== 'object') return 1;
  if (value instanceof CelList || value instanceof CelMap) return value.size;
  if (value instanceof CelBytes) return value.data.length;
  if (value instanceof CelOptional) return value.value === undefined ? 1 : sizeOf(value.value);
  return value instanceof Opaque ? value.size : 1;
}

/** Cost of `a == b` for two strings; short ones, as most attributes are, need no counting. */
export function equalityOfText(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  return shorter <= 10 ? Math.sign(shorter) : traversal(Math.min(codePoints(a), codePoints(b)));
}

const constantEquality = new Set([
  'kubernetes.Quantity',
  'kubernetes.Semver',
  'kubernetes.URL',
  'kubernetes.NamedFormat',
  'net.IP',
  'net.CIDR',
]);

/** Cost of `==`; the Kubernetes table has no separate entry for `!=`. */
export function equality(a: Value, b: Value): number {
  if (typeof a === 'string' && typeof b === 'string') return equalityOfText(a, b);
  if (a !== null && typeof a === 'object' && constantEquality.has(a.kind)) return 1;
  return traversal(Math.min(sizeOf(a), sizeOf(b)));
}

const arg = (args: readonly Value[], index: number): Value => args[index] ?? null;

/** A tenth of one argument's size, or of a multiple of that size. */
export function ofArgument(index: number, factor = 1): (args: readonly Value[]) => number {
  return (args) => Math.ceil(sizeOf(arg(args, index)) * factor * 0.1);
}

export function ofBoth(args: readonly Value[]): number {
  return traversal(sizeOf(arg(args, 0)) + sizeOf(arg(args, 1)));
}

export function ofShorter(args: readonly Value[]): number {
  return traversal(Math.min(sizeOf(arg(args, 0)), sizeOf(arg(args, 1))));
}

export function ofSearch(args: readonly Value[]): number {
  return traversal(sizeOf(arg(args, 0))) * traversal(sizeOf(arg(args, 1)));
}

export function ofPattern(args: readonly Value[]): number {
  return traversal(1 + sizeOf(arg(args, 0))) * Math.ceil(sizeOf(arg(args, 1)) * 0.25);
}

export function ofResult(factor: number): (args: readonly Value[], result: Value) => number {
  return (_, result) => Math.ceil(sizeOf(result) * factor * 0.1);
}

const encoder = new TextEncoder();

/** Cost of one pass over a value and everything in it. */
export function ofTraversal(value: Value): number {
  if (typeof value === 'string') return Math.trunc(encoder.encode(value).length * 0.1);
  if (value instanceof CelBytes) return Math.trunc(value.data.length * 0.1);
  if (value instanceof CelList) {
    let sum = 0;
    for (const item of value) sum += ofTraversal(item);
    return sum;
  }
  if (!(value instanceof CelMap)) return 1;
  let sum = 0;
  for (const key of value.keys()) sum += ofTraversal(key) + ofTraversal(value.get(key) ?? null);
  return sum;
}
