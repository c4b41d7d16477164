// What a schema says of one value without rules: types, limits, allowed values and required fields, in the API server's words.
import { invalidValue, notSupported, required } from '../names.ts';
import { isMap, same } from '../object.ts';
import type { FieldError } from '../resourceType.ts';
import { fieldPath, partsOf } from './parts.ts';
import type { Place, Schema } from './schema.ts';

/** Errors of a value and of all its parts. */
export function structureErrors(place: Place): readonly FieldError[] {
  if (place.old !== undefined && same(place.value, place.old)) return [];
  const wrong = typeErrors(place);
  if (wrong.length > 0) return wrong;
  return [...ownErrors(place), ...partsOf(place).flatMap(structureErrors)];
}

/** Rules are not evaluated while one of these stands. */
export const blocking: ReadonlySet<FieldError['reason']> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

function typeErrors({ schema, path, value }: Place): readonly FieldError[] {
  const kind = kindOf(value);
  const wrong = (types: string) => wrongType(path, kind, `must be of type ${types}`);
  if (schema['x-kubernetes-int-or-string']) {
    if (kind === 'string' || kind === 'integer') return [];
    const none = `"${path}" must validate at least one schema (anyOf)`;
    return [wrong('integer,string'), invalidValue('<nil>', '', none), wrong('integer')];
  }
  if (!schema.type || kind === schema.type || (schema.type === 'number' && kind === 'integer')) return [];
  if (schema.type !== 'integer' || kind !== 'number') return [wrong(schema.type)];
  const format = `Checked value must be of type integer (default format) in ${path}`;
  return [wrong('integer'), invalidValue('<nil>', '', format)];
}

function wrongType(path: string, shown: string, why: string): FieldError {
  return { ...inBody(path, shown, `${why}: ${JSON.stringify(shown)}`), reason: 'FieldValueTypeInvalid' };
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function ownErrors(place: Place): readonly FieldError[] {
  const { value } = place;
  if (typeof value === 'string') return textErrors(place, value);
  if (typeof value === 'number') return numberErrors(place, value);
  if (Array.isArray(value)) return [...sizeErrors(place, value.length), ...doubles(place, value)];
  if (!isMap(value)) return [];
  const missing = (place.schema.required ?? []).filter((field) => value[field] === undefined);
  const { maxProperties = Number.POSITIVE_INFINITY } = place.schema;
  const size = Object.keys(value).length;
  return [
    ...missing.map((field) => required(fieldPath(place.path, field))),
    ...(size > maxProperties ? [tooMany(place.path, size, maxProperties)] : []),
  ];
}

/** RFC 3339 with any fraction of a second. */
const dateTime = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

function textErrors({ schema, path }: Place, value: string): readonly FieldError[] {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, format, enum: allowed } = schema;
  const length = [...value].length;
  const errors: FieldError[] = [];
  if (format === 'date-time' && !(dateTime.test(value) && Number.isFinite(Date.parse(value))))
    errors.push(wrongType(path, value, 'must be of type date-time'));
  if (length > maxLength)
    errors.push({
      field: path,
      reason: 'FieldValueTooLong',
      message: `Too long: may not be more than ${maxLength} bytes`,
    });
  if (length < minLength) errors.push(inBody(path, value, `should be at least ${minLength} chars long`));
  if (allowed && !allowed.includes(value)) errors.push(notSupported(path, value, allowed));
  return errors;
}

function numberErrors({ schema, path }: Place, value: number): readonly FieldError[] {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY, format } = schema;
  if (format === 'int32' && value !== (value | 0))
    return [invalidValue('<nil>', '', `Checked value must be of type integer with format int32 in ${path}`)];
  if (value < minimum) return [inBody(path, value, `should be greater than or equal to ${minimum}`)];
  return value > maximum ? [inBody(path, value, `should be less than or equal to ${maximum}`)] : [];
}

function sizeErrors({ schema, path }: Place, size: number): readonly FieldError[] {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema;
  if (size > maxItems) return [tooMany(path, size, maxItems)];
  return size < minItems ? [inBody(path, size, `should have at least ${minItems} items`)] : [];
}

/** Equal items of a set, and items of a map with equal keys. */
function doubles({ schema, path }: Place, items: readonly unknown[]): readonly FieldError[] {
  const identity = identityOf(schema);
  if (!identity) return [];
  const identities = items.map(identity);
  return identities.flatMap((one, i) => {
    if (!identities.slice(0, i).some((other) => same(one, other))) return [];
    return [
      { field: `${path}[${i}]`, reason: 'FieldValueDuplicate', message: `Duplicate value: ${JSON.stringify(one)}` },
    ];
  });
}

function identityOf(schema: Schema): ((item: unknown) => unknown) | undefined {
  const keys = schema['x-kubernetes-list-map-keys']?.toSorted();
  if (keys) return (item) => (isMap(item) ? Object.fromEntries(keys.map((key) => [key, item[key]])) : item);
  return schema['x-kubernetes-list-type'] === 'set' ? (item) => item : undefined;
}

function tooMany(field: string, size: number, most: number): FieldError {
  return { field, reason: 'FieldValueTooMany', message: `Too many: ${size}: must have at most ${most} items` };
}

/** Status is validated alone, so that the text names its fields without `status`. */
function inBody(path: string, value: unknown, why: string): FieldError {
  return invalidValue(path, value, `${path.replace(/^status\./, '')} in body ${why}`);
}
