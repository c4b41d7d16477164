// The valid parts of an invalid configuration, so that their contradictions are told together with what is wrong elsewhere; pure.
import type { z } from 'zod';
import { clusterSchema } from './clusterSchema.ts';
import { type Config, configSchema } from './schema.ts';

/** Removals of invalid values before a part is given up. */
const attempts = 5;

/**
 * Without what does not fit the schema. `clusters` has holes at the places of clusters that are not readable at all, so that the
 * others keep their positions; functions such as `flatMap` skip holes.
 */
export function validParts(value: unknown): Config {
  const written = mapOf(value);
  const { clusters: _, ...shape } = configSchema.shape;
  const parts = Object.entries(shape).map(([key, schema]) => [key, validPart(schema, written[key])]);
  const clusters: Config['clusters'] = [];
  for (const [i, one] of (Array.isArray(written.clusters) ? written.clusters : []).entries()) {
    const cluster = validPart(clusterSchema, one) ?? validPart(clusterSchema, { ...mapOf(one), name: `unnamed-${i}` });
    // An invalid endpoint is no missing one.
    const endpoint = 'endpoint' in mapOf(one) ? { endpoint: cluster?.endpoint ?? 'https://unreadable.invalid' } : {};
    if (cluster) clusters[i] = { ...cluster, ...endpoint };
  }
  return { ...(Object.fromEntries(parts) as Partial<Config>), clusters };
}

/** Absent if the rest is not valid either. */
function validPart<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> | undefined {
  const rest = { value: structuredClone(value) };
  for (let attempt = 0; attempt < attempts; attempt++) {
    const parsed = schema.safeParse(rest.value);
    if (parsed.success) return parsed.data;
    for (const issue of parsed.error.issues) {
      const keys = issue.code === 'unrecognized_keys' ? issue.keys : [undefined];
      for (const key of keys) remove(rest, ['value', ...issue.path, ...(key === undefined ? [] : [key])]);
    }
  }
  return undefined;
}

/** Removes the whole list for an item of it: the others would change their positions. */
function remove(root: object, path: readonly PropertyKey[]): void {
  let parent: Record<PropertyKey, unknown> = mapOf(root);
  for (const step of path.slice(0, -1)) {
    const next = parent[step];
    if (typeof next !== 'object' || next === null || Array.isArray(next)) {
      delete parent[step];
      return;
    }
    parent = mapOf(next);
  }
  delete parent[path.at(-1) ?? ''];
}

function mapOf(value: unknown): Record<PropertyKey, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<PropertyKey, unknown>)
    : {};
}
