// The CustomResourceDefinitions of the chart, and the schemas of Sluice's own kinds in them; bundles embed what this file reads.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import type { Schema } from './schema/schema.ts';

const folder = path.join(import.meta.dirname, '..', '..', '..', 'deploy', 'chart', 'crds');

interface Definition {
  readonly spec: {
    readonly names: { readonly kind: string };
    readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: Schema } }[];
  };
}

/** As YAML. */
export function releasedDefinitions(): readonly string[] {
  return readdirSync(folder)
    .sort()
    .map((file) => readFileSync(path.join(folder, file), 'utf8'));
}

/** By kind. */
export function ownSchemas(): Readonly<Record<string, Schema>> {
  const definitions = releasedDefinitions().map((text) => parse(text) as Definition);
  return Object.fromEntries(
    definitions.flatMap(({ spec }) =>
      spec.versions.map((version) => [spec.names.kind, version.schema.openAPIV3Schema]),
    ),
  );
}
