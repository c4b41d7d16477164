// A configuration as the text of sluice.yaml: what was chosen, or all that holds.
import { stringify } from 'yaml';
import { type JsonSchema, jsonSchema } from './jsonSchema.ts';
import type { Config } from './schema.ts';

type Values = Readonly<Record<string, unknown>>;

/** `notes` are comments at the top. */
export function formatConfig(config: Values | Config, notes: readonly string[] = []): string {
  const comments = notes.map((note) => `# ${note.replaceAll('\n', '\n# ')}\n`).join('');
  return comments + stringify(config, { lineWidth: 0 });
}

/** With every default that is a value; keys without one are left out. The result is a configuration of the same meaning. */
export function viewConfig(config: Config): string {
  return formatConfig(withDefaults(config, jsonSchema) as Values);
}

/** In the order of the schema. */
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
