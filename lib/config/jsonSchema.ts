// The JSON Schema of sluice.yaml for editors, made from the schema that refuses.
import { z } from 'zod';
import type { Path } from './problem.ts';
import { configSchema } from './schema.ts';

/** As far as the configuration uses it. */
export interface JsonSchema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  /** Ours: what holds without the key, in words. */
  readonly absent?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
}

const title = 'sluice.yaml: configuration of Sluice';

/** Draft 7, because that is what editors understand best. */
export const jsonSchema = { title, ...z.toJSONSchema(configSchema, { target: 'draft-7', io: 'input' }) } as JsonSchema;

/** The keys that are known at a path; none where there is no mapping. */
export function keysAt(path: Path): readonly string[] {
  const found = path.reduce<readonly JsonSchema[]>(
    (schemas, step) =>
      schemas.flatMap((schema) => {
        const inner = typeof step === 'number' ? schema.items : schema.properties?.[step];
        return inner ? branchesOf(inner) : [];
      }),
    branchesOf(jsonSchema),
  );
  return [...new Set(found.flatMap(({ properties = {} }) => Object.keys(properties)))];
}

/** `network.vpc` for `vpc`: each place where the schema has a key of that name. */
export function placesOf(name: string): readonly string[] {
  const within = (schema: JsonSchema, path: string): readonly string[] =>
    branchesOf(schema).flatMap(({ properties = {}, items }) => [
      ...Object.entries(properties).flatMap(([key, inner]) => {
        const place = path === '' ? key : `${path}.${key}`;
        return [...(key === name ? [place] : []), ...within(inner, place)];
      }),
      ...(items ? within(items, `${path}[]`) : []),
    ]);
  return [...new Set(within(jsonSchema, ''))];
}

export function branchesOf(schema: JsonSchema): readonly JsonSchema[] {
  return [schema, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
}
