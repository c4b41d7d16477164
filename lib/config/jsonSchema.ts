// JSON Schema of sluice.yaml for editors, generated from the validating schema.
import { z } from 'zod';
import type { Path } from './problem.ts';
import { configSchema } from './schema.ts';

/** The subset of JSON Schema that the configuration uses. */
export interface JsonSchema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  /** Sluice's extension: text about the behaviour without the key. */
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

/** Draft 7, which editors support best. */
export const jsonSchema = { title, ...z.toJSONSchema(configSchema, { target: 'draft-7', io: 'input' }) } as JsonSchema;

/** Known keys at a path; empty if there is no mapping. */
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

/** All paths of the schema with a key of that name: `network.vpc` for `vpc`. */
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
