// Repository files generated from the schema of sluice.yaml; a test compares them.
import { jsonSchema } from './jsonSchema.ts';
import { renderReference } from './reference.ts';

/** File content by path. */
export function configurationFiles(): Readonly<Record<string, string>> {
  return {
    'docs/reference/configuration.md': renderReference(jsonSchema),
    'docs/reference/configuration.schema.json': `${JSON.stringify(jsonSchema, null, 2)}\n`,
  };
}
