// Fields that a schema does not have: the API server drops them, and refuses or names them if the request asks for that.
import { isMap, type JsonMap } from '../object.ts';
import type { Pruned } from '../resourceType.ts';
import { fieldPath, fieldSchema } from './parts.ts';
import type { Schema } from './schema.ts';

/** Fields of the object itself that every kind has. */
const everyKind: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

export function prune(object: JsonMap, schema: Schema): Pruned {
  const unknown: string[] = [];
  const kept = Object.entries(object).flatMap(([field, value]) => {
    if (everyKind.has(field)) return [[field, value] as const];
    return known({ schema, path: '', field, value }, unknown);
  });
  return { object: Object.fromEntries(kept), unknown: unknown.sort() };
}

interface Field {
  /** Of the object with the field. */
  readonly schema: Schema;
  readonly path: string;
  readonly field: string;
  readonly value: unknown;
}

function known({ schema, path, field, value }: Field, unknown: string[]): readonly (readonly [string, unknown])[] {
  const inner = fieldSchema(schema, field);
  const here = fieldPath(path, field);
  // No field here is nullable.
  if (inner && value === null) return [];
  if (inner) return [[field, part(value, { schema: inner, path: here }, unknown)]];
  unknown.push(here);
  return [];
}

function part(value: unknown, at: Pick<Field, 'schema' | 'path'>, unknown: string[]): unknown {
  const { schema, path } = at;
  if (schema['x-kubernetes-preserve-unknown-fields']) return value;
  if (Array.isArray(value))
    return value.map((item, i) => part(item, { schema: schema.items ?? {}, path: `${path}[${i}]` }, unknown));
  if (!isMap(value)) return value;
  const fields = Object.entries(value).flatMap(([field, inner]) => known({ ...at, field, value: inner }, unknown));
  return Object.fromEntries(fields);
}
