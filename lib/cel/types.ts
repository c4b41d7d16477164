// Static types of the language, as far as the checker distinguishes them.
import { Refusal } from './refusal.ts';

export type TypeKind =
  | 'dyn'
  | 'any'
  | 'null'
  | 'bool'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'timestamp'
  | 'duration'
  | 'list'
  | 'map'
  | 'object'
  | 'opaque'
  | 'type'
  | 'param';

export interface Type {
  readonly kind: TypeKind;
  /** The run-time type name; for a type parameter, its own name. */
  readonly name: string;
  readonly params: readonly Type[];
  /** Nodes in the type, counted with repetition. */
  readonly size: number;
}

/** Upstream needs time exponential in the text for types that double with every nested map. */
const maxSize = 2000;

function make(kind: TypeKind, name: string, ...params: readonly Type[]): Type {
  const size = params.reduce((sum, param) => sum + param.size, 1);
  if (size > maxSize) throw new Refusal(0, 'the type of the expression is too complex');
  return { kind, name, params, size };
}

export const dyn = make('dyn', 'dyn');
/** Attribute values before Kubernetes 1.36: dynamic, but not a range to iterate. */
export const any = make('any', 'google.protobuf.Any');
export const nullType = make('null', 'null_type');
export const bool = make('bool', 'bool');
export const intType = make('int', 'int');
export const uint = make('uint', 'uint');
export const double = make('double', 'double');
export const string = make('string', 'string');
export const bytes = make('bytes', 'bytes');
export const timestamp = make('timestamp', 'google.protobuf.Timestamp');
export const duration = make('duration', 'google.protobuf.Duration');
export const quantity = make('object', 'kubernetes.Quantity');
export const semver = make('object', 'kubernetes.Semver');
export const url = make('object', 'kubernetes.URL');
export const namedFormat = make('object', 'kubernetes.NamedFormat');
export const device = make('object', 'kubernetes.DRADevice');
export const ip = make('opaque', 'net.IP');
export const cidr = make('opaque', 'net.CIDR');

export const listOf = (element: Type) => make('list', 'list', element);
export const mapOf = (key: Type, value: Type) => make('map', 'map', key, value);
export const optionalOf = (value: Type) => make('opaque', 'optional_type', value);
export const typeOf = (value: Type) => make('type', 'type', value);
export const param = (name: string) => make('param', name);

/** The same type with other parameters. */
export function withParams(type: Type, params: readonly Type[]): Type {
  return make(type.kind, type.name, ...params);
}

/** Names that denote types in an expression: `type(x) == int`. */
export const typeNames: ReadonlyMap<string, Type> = new Map(
  [bool, bytes, double, duration, intType, nullType, string, timestamp, uint, ip, cidr].map((type) => [
    type.name,
    type,
  ]),
);

export function isDyn(type: Type): boolean {
  return type.kind === 'dyn' || type.kind === 'any';
}

export function isOptional(type: Type): boolean {
  return type.kind === 'opaque' && type.name === 'optional_type';
}

/** The value type of an optional, or the type itself. */
export function unwrapped(type: Type): Type {
  return isOptional(type) ? (type.params[0] ?? dyn) : type;
}

export function sameType(a: Type, b: Type): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || a.name !== b.name || a.params.length !== b.params.length) return false;
  return a.params.every((part, index) => sameType(part, b.params[index] ?? dyn));
}

export function typeText(type: Type): string {
  if (type.params.length === 0) return type.kind === 'any' ? 'any' : type.name;
  return `${type.name}(${type.params.map(typeText).join(', ')})`;
}
