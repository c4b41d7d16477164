// Formats a configuration as sluice.yaml, with or without defaults.
import { stringify } from 'yaml';
import { type JsonSchema, jsonSchema } from './jsonSchema.ts';
import type { Config } from './schema.ts';

type Values = Readonly<Record<string, unknown>>;

/** `notes`: comments at the top of the file. */
export function formatConfig(config: Values | Config, notes: readonly string[] = []): string {
  const comments = notes.map((note) => `# ${note.replaceAll('\n', '\n# ')}\n`).join('');
  return comments + stringify(config, { lineWidth: 0 });
}

/** Adds all default values; the result is an equivalent configuration. */
export function viewConfig(config: Config): string {
  return formatConfig(withDefaults(config, jsonSchema) as Values);
}

/** Keys in schema order. */
function withDefaults(value: unknown, schema: JsonSchema): unknown {
  if (Array.isArray(value)) return value.map((one) => withDefaults(one, schema.items ?? {}));
  const { properties } = schema;
  if (!properties) return value ?? schema.default;
  const given = (value ?? {}) as Values;
  const known = Object.entries(properties).map(([key, inner]) => [key, withDefaults(given[key], inner)] as const);
  const rest = Object.entries(given).filter(([key]) => !(key in properties));
  const all = [...known, ...rest].filter(([, one]) => one !== undefined && !isEmpty(one));
  return value === undefined && all.length === 0 ? undefined : Object.fromEntries(all);
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
}
