// The fields and items of a value that have a schema.
import { isMap, same } from '../object.ts';
import type { Place, Schema } from './schema.ts';

export function partsOf({ schema, path, value, old }: Place): readonly Place[] {
  const { items } = schema;
  if (Array.isArray(value))
    return items
      ? value.map((item, i) => ({ schema: items, path: `${path}[${i}]`, value: item, old: oldItem(schema, item, old) }))
      : [];
  if (!isMap(value)) return [];
  return Object.entries(value).flatMap(([field, part]) => {
    const inner = fieldSchema(schema, field);
    const before = isMap(old) ? old[field] : undefined;
    return inner ? [{ schema: inner, path: fieldPath(path, field), value: part, old: before }] : [];
  });
}

export function fieldSchema({ properties = {}, additionalProperties }: Schema, field: string): Schema | undefined {
  return Object.hasOwn(properties, field) ? properties[field] : additionalProperties;
}

export function fieldPath(path: string, field: string): string {
  return path === '' ? field : `${path}.${field}`;
}

/** Items of maps are compared by key; those of other lists have no old value. */
function oldItem(schema: Schema, item: unknown, old: unknown): unknown {
  const keys = schema['x-kubernetes-list-map-keys'];
  if (!keys || !Array.isArray(old) || !isMap(item)) return undefined;
  return old.find((one) => isMap(one) && keys.every((key) => same(one[key], item[key])));
}
