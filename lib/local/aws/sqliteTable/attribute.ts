// Attribute values in DynamoDB's JSON: shape, order, equality, sums and size; and the service's errors.
import { z } from 'zod';

/** An object with one member named by the type: `{ S: 'text' }`, `{ N: '1' }`, `{ M: {} }`. */
export type Attribute = Readonly<Record<string, unknown>>;
export type Item = Readonly<Record<string, Attribute>>;

/** Of a request. Checks what the other functions of this file rely on: each attribute is an object. */
export const items = z.custom<Item>(
  (value) => isObject(value) && Object.values(value).every(isObject),
  'an item or key is a map of attributes',
);

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An error response with status 400 and the service's error type. */
export class ServiceError extends Error {
  readonly type: string;
  readonly more: Readonly<Record<string, unknown>>;

  constructor(type: string, message: string, more: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.type = type;
    this.more = more;
  }
}

export class ValidationError extends ServiceError {
  constructor(message: string) {
    super('ValidationException', message);
  }
}

/** Negative, 0 or positive; undefined for different types or a type without order. */
export function order(a: Attribute | undefined, b: Attribute | undefined): number | undefined {
  if (typeof a?.N === 'string' && typeof b?.N === 'string') return Number(a.N) - Number(b.N);
  if (typeof a?.S === 'string' && typeof b?.S === 'string') return orderOfTexts(a.S, b.S);
  return undefined;
}

/** Compares UTF-8 bytes. */
function orderOfTexts(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

export function isEqual(a: Attribute | undefined, b: Attribute | undefined): boolean {
  return order(a, b) === 0 || (a !== undefined && b !== undefined && canonical(a) === canonical(b));
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join()}}`;
}

/** An absent number counts as 0. */
export function plus(a: Attribute | undefined, b: Attribute | undefined): Attribute {
  const left = a === undefined ? '0' : a.N;
  if (typeof left !== 'string' || typeof b?.N !== 'string')
    throw new ValidationError('An operand in the update expression has an incorrect data type');
  return { N: String(Number(left) + Number(b.N)) };
}

/** Item size in bytes as DynamoDB counts it for its 400 KB limit. */
export function sizeOf(item: Item): number {
  return Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + sizeOfValue(value), 0);
}

function sizeOfValue(value: Attribute): number {
  const { S, N, B, L, M } = value;
  if (typeof S === 'string') return Buffer.byteLength(S);
  if (typeof N === 'string') return Math.ceil(N.length / 2) + 1;
  if (typeof B === 'string') return Math.floor((B.length * 3) / 4);
  if (Array.isArray(L)) return 3 + L.reduce((sum: number, one: Attribute) => sum + 1 + sizeOfValue(one), 0);
  if (typeof M === 'object' && M !== null) return 3 + Object.keys(M).length + sizeOf(M as Item);
  return 1;
}
