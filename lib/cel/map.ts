// Maps: literals with keys of any scalar type, devices with string keys, and the domain map, which has every domain.

import { Abort } from './abort.ts';
import { doubleAsInt, doubleAsUint, parseUint64 } from './int.ts';
import { Cidr, Ip } from './ip.ts';
import { Duration, Timestamp } from './time.ts';
import { CelDouble, CelMap, CelUint, type Int, typeName, type Value } from './values.ts';

/** A map with string keys only: the device, its domains and their attributes. */
export class StringMap extends CelMap {
  readonly entries: ReadonlyMap<string, Value>;

  constructor(entries: ReadonlyMap<string, Value>) {
    super();
    this.entries = entries;
  }

  override get size(): number {
    return this.entries.size;
  }

  override keys(): Iterable<Value> {
    return this.entries.keys();
  }

  override get(key: Value): Value | undefined {
    return typeof key === 'string' ? this.entries.get(key) : undefined;
  }
}

export const emptyMap = new StringMap(new Map());

/** `device.attributes` and `device.capacity`: an unknown domain reads as an empty map (kubernetes/dynamic-resource-allocation). */
export class DomainMap extends StringMap {
  override find(key: Value): Value | undefined {
    return this.get(key) ?? emptyMap;
  }
}

/** A map literal or a map made by a macro. Equal numbers of different types are one key when it is looked up. */
export class ScalarMap extends CelMap {
  readonly #entries: ReadonlyMap<string, readonly [Value, Value]>;

  constructor(entries: ReadonlyMap<string, readonly [Value, Value]>) {
    super();
    this.#entries = entries;
  }

  override get size(): number {
    return this.#entries.size;
  }

  override *keys(): Iterable<Value> {
    for (const [key] of this.#entries.values()) yield key;
  }

  override get(key: Value): Value | undefined {
    if (this.#entries.size === 0) return undefined;
    for (const form of keyForms(key)) {
      const entry = this.#entries.get(form);
      if (entry) return entry[1];
    }
    return undefined;
  }

  /** This map plus one entry; undefined if the key exists. */
  with(key: Value, value: Value): ScalarMap | undefined {
    if (this.get(key) !== undefined) return undefined;
    return new ScalarMap(new Map(this.#entries).set(keyOf(key, this.size), [key, value]));
  }
}

/** One string per key, a new one for every NaN. Types without a hash upstream abort the evaluation, as upstream. */
export function keyOf(key: Value, size = 0): string {
  switch (typeof key) {
    case 'string':
      return `s${key}`;
    case 'boolean':
      return `b${key}`;
    case 'number':
    case 'bigint':
      return `i${key}`;
    default:
      return key instanceof CelDouble && Number.isNaN(key.value) ? `d${size}NaN` : objectKey(key);
  }
}

function objectKey(key: Exclude<Value, string | boolean | Int>): string {
  if (key === null) return 'n';
  switch (key.kind) {
    case 'uint':
      return `u${key.value}`;
    case 'double':
      return `d${key.value || 0}`;
    case 'type':
      return `y${key.name}`;
    default:
      return opaqueKey(key);
  }
}

/** Go has one zone object per offset of whole hours; for other offsets upstream compares memory addresses. */
function hasZone({ offsetSeconds }: Timestamp): boolean {
  return offsetSeconds % 3600 === 0 && offsetSeconds >= -12 * 3600 && offsetSeconds <= 14 * 3600;
}

function opaqueKey(key: Value): string {
  if (key instanceof Duration) return `t${key.nanos}`;
  if (key instanceof Timestamp && hasZone(key)) return `m${key.seconds}.${key.nanos}@${key.offsetSeconds}`;
  if (key instanceof Ip) return `p${key.bytes}`;
  if (key instanceof Cidr) return `p${key.ip.bytes}/${key.bits}`;
  throw new Abort(`a value of type ${typeName(key)} cannot be a map key`);
}

/** The key itself and then the same number in the other numeric types. */
function keyForms(key: Value): readonly string[] {
  if (typeof key === 'string') return [`s${key}`];
  if (key instanceof CelDouble) return doubleForms(key);
  if (key instanceof CelUint) return [keyOf(key), `i${key.value}`];
  if (typeof key === 'number' || typeof key === 'bigint') {
    return parseUint64(`${key}`) === undefined ? [keyOf(key)] : [keyOf(key), `u${key}`];
  }
  if (key instanceof Timestamp && !hasZone(key)) return [];
  if (key === null || typeof key === 'boolean' || hashed.has(key.kind)) return [keyOf(key)];
  return [];
}

/** Kinds that can be map keys, or that abort a look-up because upstream cannot hash them. */
const hashed = new Set([
  'bytes',
  'kubernetes.Semver',
  'kubernetes.NamedFormat',
  'google.protobuf.Duration',
  'google.protobuf.Timestamp',
  'net.IP',
  'net.CIDR',
  'type',
]);

function doubleForms(key: CelDouble): readonly string[] {
  if (Number.isNaN(key.value)) return [];
  const asInt = doubleAsInt(key.value);
  const asUint = doubleAsUint(key.value);
  return [keyOf(key), ...(asInt === undefined ? [] : [`i${asInt}`]), ...(asUint === undefined ? [] : [`u${asUint}`])];
}
