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
  return formatConfig(inEffect(withDefaults(config, jsonSchema) as Config, config));
}

/** Without the defaults that have no effect beside what was given. */
function inEffect(view: Config, given: Config): Config {
  return { ...view, ...shortened(view, given), ...unprojected(view, given) };
}

/** `visibilityTimeout` shortens the time-outs that were not set. */
function shortened({ limits }: Config, given: Config): Pick<Config, 'limits'> {
  const most = given.limits?.visibilityTimeout;
  if (limits === undefined || most === undefined) return {};
  const within = (one: unknown) =>
    typeof one === 'object' && one !== null && 'timeout' in one
      ? { ...one, timeout: Math.min(Number(one.timeout), most) }
      : one;
  return { limits: Object.fromEntries(Object.entries(limits).map(([key, one]) => [key, within(one)])) };
}

/** Rules that are not projected have no limits of projection. */
function unprojected({ settings }: Config, given: Config): Pick<Config, 'settings'> {
  if (settings === undefined || given.settings?.projectRules !== false) return {};
  const { projection: _, ...others } = settings;
  return { settings: others };
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
