// Shape of Kubernetes objects in the simulated cluster, with safe access to nested values.

export type JsonMap = { readonly [field: string]: unknown };

export interface Metadata extends JsonMap {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number;
  /** RFC 3339, whole seconds. */
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly JsonMap[];
  readonly managedFields?: readonly JsonMap[];
}

/** Stored objects are never changed in place: a write stores another object. */
export interface KubeObject extends JsonMap {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
}

export function isMap(value: unknown): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a path of field names; undefined if any part is missing. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let here = value;
  for (const field of path) here = isMap(here) ? here[field] : undefined;
  return here;
}

export function mapAt(value: unknown, ...path: readonly string[]): JsonMap | undefined {
  const found = at(value, ...path);
  return isMap(found) ? found : undefined;
}

export function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : undefined;
}

export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** A copy without the given fields. */
export function without(map: JsonMap, ...fields: readonly string[]): JsonMap {
  return Object.fromEntries(Object.entries(map).filter(([field]) => !fields.includes(field)));
}

/** Deep equality of JSON values; ignores the order of fields, and treats undefined fields as absent. */
export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => same(item, b[index]));
  }
  if (!isMap(a) || !isMap(b)) return false;
  const fields = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...fields].every((field) => same(a[field], b[field]));
}
