// Values of the language. An int is a number if safe and a bigint otherwise, never a double.

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
  | Opaque
  | CelError;

/** An evaluation error as a value: `&&`, `||` and the quantifiers can absorb it, all other operations return it. */
export class CelError {
  readonly kind = 'error';
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

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

/** Items in order. Lists made by `+` may share an array; each owns its first `size` items. */
export class CelList {
  readonly kind = 'list';
  readonly items: readonly Value[];
  readonly size: number;

  constructor(items: readonly Value[], size = items.length) {
    this.items = items;
    this.size = size;
  }

  at(index: number): Value {
    return this.items[index] ?? null;
  }

  *[Symbol.iterator](): Generator<Value> {
    for (let index = 0; index < this.size; index++) yield this.at(index);
  }
}

export abstract class CelMap {
  readonly kind = 'map';
  abstract readonly size: number;
  abstract keys(): Iterable<Value>;
  /** The value of an existing key. */
  abstract get(key: Value): Value | undefined;

  /** Field and index access; in the domain map every key exists. */
  find(key: Value): Value | undefined {
    return this.get(key);
  }
}

/** Run-time type names of the libraries' own values. */
export type OpaqueKind =
  | 'google.protobuf.Timestamp'
  | 'google.protobuf.Duration'
  | 'kubernetes.Quantity'
  | 'kubernetes.Semver'
  | 'kubernetes.URL'
  | 'kubernetes.NamedFormat'
  | 'net.IP'
  | 'net.CIDR';

/** Values of libraries, such as times, quantities and addresses; only their library reads their content. */
export abstract class Opaque {
  abstract readonly kind: OpaqueKind;
  /** An error if upstream has no equality for such a value. */
  abstract equals(other: Value): boolean | CelError;

  /** Undefined if the two have no order. */
  compare(_other: Value): -1 | 0 | 1 | undefined {
    return undefined;
  }

  /** The size that traversing it costs. */
  get size(): number {
    return 1;
  }
}

/** CEL's run-time type name, which selects overloads and is the result of `type()`. */
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
