// The reference page, the JSON Schema and the examples match the schema.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { configurationFiles } from '../../lib/config/generated.ts';
import { branchesOf, type JsonSchema, jsonSchema } from '../../lib/config/jsonSchema.ts';
import { exampleFile } from '../../lib/config/load.ts';
import { readConfig } from '../../lib/config/read.ts';
import { settingsSchema } from '../../lib/config/settingsSchema.ts';
import { defaultSettings } from '../../lib/model/snapshot.ts';

const everything = 'deploy/examples/configuration/everything.yaml';
const read = (file: string) => readConfig(readFileSync(file, 'utf8'), file);

/** Paths of all keys of a schema, including those inside lists and mappings. */
function keysOf(schema: JsonSchema, prefix = ''): readonly string[] {
  return branchesOf(schema).flatMap(({ items, properties = {} }) => [
    ...(items ? keysOf(items, `${prefix}[]`) : []),
    ...Object.entries(properties).flatMap(([key, inner]) => [`${prefix}.${key}`, ...keysOf(inner, `${prefix}.${key}`)]),
  ]);
}

function keysIn(value: unknown, prefix = ''): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((one) => keysIn(one, `${prefix}[]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [`${prefix}.${key}`, ...keysIn(inner, `${prefix}.${key}`)]);
}

describe('generated files', () => {
  it.each(Object.entries(configurationFiles()))('%s is up to date: npm run generate:configuration', (file, text) => {
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('the JSON Schema describes the meaning of every key', () => {
    const silent = (schema: JsonSchema, path: string): readonly string[] =>
      branchesOf(schema).flatMap(({ items, properties = {} }) => [
        ...(items ? silent(items, `${path}[]`) : []),
        ...Object.entries(properties).flatMap(([key, inner]) => [
          ...(inner.description || inner.properties ? [] : [`${path}.${key}`]),
          ...silent(inner, `${path}.${key}`),
        ]),
      ]);
    expect(silent(jsonSchema, '')).toEqual([]);
  });

  it('every setting has the default of lib/model in the schema', () => {
    const shown = Object.entries(settingsSchema.shape).map(([name, schema]) => [name, schema.meta()?.default]);
    expect(Object.fromEntries(shown)).toEqual(defaultSettings);
  });
});

describe('examples', () => {
  it('the smallest example configuration is valid', () => {
    expect(read(exampleFile).clusters).toHaveLength(1);
  });

  it('the largest example configuration is valid and has every key except auth.path, certificateAuthority and similar limits and thresholds', () => {
    const used = new Set(keysIn(read(everything)));
    const missing = [...new Set(keysOf(jsonSchema))].filter((key) => !used.has(key));
    const alike = /^\.limits\.\w+|^\.alarms\.thresholds\.[\w-]+/;
    expect(missing.filter((key) => !alike.test(key))).toEqual([
      '.clusters[].certificateAuthority',
      '.clusters[].auth.path',
    ]);
  });
});
