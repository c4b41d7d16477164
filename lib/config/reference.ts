// Reference page of sluice.yaml, generated from its JSON Schema.

import { branchesOf, type JsonSchema } from './jsonSchema.ts';
import { exampleFile } from './load.ts';

const head = `# Configuration: \`sluice.yaml\`

<!-- Written by npm run generate:configuration from lib/config/schema.ts; change it there. -->

\`sluice.yaml\` says everything that an installation can choose. The CDK app, \`npm start\`, the command line and the doctor read the same file:
the one named by \`--config\` (with the CDK: \`-c config=FILE\`), else by \`SLUICE_CONFIG\`, else \`./sluice.yaml\`.
An unknown key, a wrong type or a contradiction is refused with its line and column.

Begin with a copy of [the smallest one](../../${exampleFile}); [another example](../../deploy/examples/configuration/everything.yaml) has every key.
Editors complete and check it by [the JSON Schema](configuration.schema.json); name that in the first line:

\`\`\`yaml
# yaml-language-server: $schema=PATH/configuration.schema.json
\`\`\`
`;

interface Row {
  readonly key: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
  /** `kind` of its branch of a union. */
  readonly kind?: string;
}

export function renderReference(schema: JsonSchema): string {
  const sections = Object.entries(schema.properties ?? {}).map(([key, part]) => {
    const rows = rowsOf(key, part, schema.required?.includes(key) ?? false);
    const table = ['| key | value | default | meaning |', '|---|---|---|---|', ...rows.map(renderRow)].join('\n');
    return `## ${key}\n\n${sentence(part.description ?? '')}\n\n${table}\n`;
  });
  return [head, ...sections].join('\n');
}

/** Rows of a key and all keys below it in schema order; list items as `clusters[].name`. */
function rowsOf(key: string, schema: JsonSchema, isRequired: boolean): readonly Row[] {
  const item = schema.items;
  if (item?.properties) return insideOf(`${key}[]`, item);
  if (schema.properties || schema.oneOf) return insideOf(key, schema);
  return [{ key, schema, isRequired }];
}

function insideOf(prefix: string, schema: JsonSchema): readonly Row[] {
  const alike = alikeIn(schema);
  if (alike) return [{ key: prefix, schema: namesOf(schema), isRequired: false }, ...insideOf(`${prefix}.NAME`, alike)];
  const found = new Map<string, Row[]>();
  for (const branch of branchesOf(schema))
    for (const [name, inner] of Object.entries(branch.properties ?? {})) {
      const rows = rowsOf(`${prefix}.${name}`, inner, branch.required?.includes(name) ?? false).map((row) =>
        branch === schema ? row : { ...row, kind: kindOf(branch) },
      );
      for (const row of rows) found.set(row.key, [...(found.get(row.key) ?? []), row]);
    }
  return [...found.values()].map((rows) => joined(rows));
}

/** The common schema if all keys of a mapping have the same one. */
function alikeIn({ properties = {} }: JsonSchema): JsonSchema | undefined {
  const [first, ...others] = Object.values(properties);
  const text = JSON.stringify(first);
  return others.length > 2 && others.every((one) => JSON.stringify(one) === text) ? first : undefined;
}

function namesOf({ description, properties = {} }: JsonSchema): JsonSchema {
  return {
    ...(description === undefined ? {} : { description }),
    enum: Object.keys(properties).map((name) => `${name}:`),
  };
}

/** Discriminator value of a branch. */
function kindOf({ properties = {} }: JsonSchema): string {
  return String(Object.values(properties).find((one) => one.const !== undefined)?.const);
}

/** Merges the rows of a key in several branches, such as `auth.kind`. */
function joined(rows: readonly Row[]): Row {
  const [first] = rows;
  if (!first) throw new Error('a key without a row');
  if (rows.length === 1) return first;
  const descriptions = rows.map(({ schema }) => `\`${schema.const}\`: ${schema.description}`);
  const { kind: _, ...all } = first;
  return { ...all, schema: { enum: rows.map(({ schema }) => schema.const), description: descriptions.join('; ') } };
}

function renderRow(row: Row): string {
  const { key, schema } = row;
  return `| \`${key}\` | ${typeText(schema)} | ${defaultText(row)} | ${sentence(schema.description ?? '')} |`;
}

function typeText(schema: JsonSchema): string {
  const choices = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  if (choices) return choices.map((one) => `\`${one}\``).join(', ');
  if (schema.anyOf) return schema.anyOf.map(typeText).join(', ');
  switch (schema.type) {
    case 'array':
      return 'list of texts';
    case 'object':
      return 'texts by name';
    case 'integer':
    case 'number':
      return `${schema.type === 'integer' ? 'whole number' : 'number'}${rangeText(schema)}`;
    case 'boolean':
      return '`true`, `false`';
    default:
      return 'text';
  }
}

function rangeText({ minimum, maximum, exclusiveMinimum }: JsonSchema): string {
  if (exclusiveMinimum !== undefined) return ` above ${exclusiveMinimum}`;
  return minimum === undefined || maximum === undefined ? '' : ` from ${minimum} to ${maximum}`;
}

function defaultText({ schema: { default: value, absent }, isRequired, kind }: Row): string {
  if (value !== undefined) return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
  const required = kind === undefined ? 'required' : `required for \`${kind}\``;
  return absent ?? (isRequired ? required : '-');
}

function sentence(text: string): string {
  return text === '' ? '' : `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;
}
