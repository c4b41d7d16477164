// Values a selector computes with. An int is a number where it is exact and a bigint beyond, never a double.
import type { Cidr, Ip } from './ip.ts';
import type { CelList } from './list.ts';
import type { CelMap } from './map.ts';
import type { NamedFormat } from './namedFormat.ts';
import type { Quantity } from './quantity.ts';
import type { Semver } from './semver.ts';
import type { Duration, Timestamp } from './time.ts';
import type { Url } from './url.ts';

/** CEL int: safe integers as number, the rest of int64 as bigint; `int()` keeps the form canonical, so `===` works. */
export type Int = number | bigint;

export type Value =
  | boolean
  | string
  | Int
  | null
  | CelDouble
  | CelUint
  | CelBytes
  | CelList
  | CelMap
  | CelOptional
  | CelType
  | Timestamp
  | Duration
  | Quantity
  | Semver
  | Url
  | Ip
  | Cidr
  | NamedFormat
  | CelError;

/** An evaluation error as a value: `&&`, `||` and the quantifiers can absorb it, everything else passes it on. */
export class CelError {
  readonly kind = 'error';
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** Thrown where nothing may absorb the failure: a budget is spent, or upstream's evaluator itself panics. */
export class Abort extends Error {}

export class CelDouble {
  readonly kind = 'double';
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

export class CelUint {
  readonly kind = 'uint';
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

export class CelBytes {
  readonly kind = 'bytes';
  readonly data: Uint8Array;

  constructor(data: Uint8Array) {
    this.data = data;
  }
}

export class CelOptional {
  readonly kind = 'optional_type';
  readonly value: Value | undefined;

  constructor(value: Value | undefined) {
    this.value = value;
  }
}

export const none = new CelOptional(undefined);

/** A type as a value, as `type(x)` returns it. */
export class CelType {
  readonly kind = 'type';
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  equals(other: Value): boolean {
    return other instanceof CelType && other.name === this.name;
  }
}

/** CEL's run-time type name, which overloads are chosen by and `type()` shows. */
export function typeName(value: Value): string {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'number':
    case 'bigint':
      return 'int';
    default:
      return value === null ? 'null_type' : value.kind;
  }
}

export function isInt(value: Value): value is Int {
  return typeof value === 'number' || typeof value === 'bigint';
}

export function isError(value: Value): value is CelError {
  return value instanceof CelError;
}

export function noSuchOverload(name: string, ...args: readonly Value[]): CelError {
  return new CelError(`no such overload: ${name}(${args.map(typeName).join(', ')})`);
}
