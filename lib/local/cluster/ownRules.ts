// API server behaviour for Sluice's own kinds: the schemas and rules of their CustomResourceDefinitions.
import { ownSchemas } from './definitions.ts';
import { invalidValue } from './names.ts';
import { type KubeObject, mapAt } from './object.ts';
import type { FieldError, ResourceRules } from './resourceType.ts';
import { prune } from './schema/prune.ts';
import { ruleChecker } from './schema/rules.ts';
import type { Schema } from './schema/schema.ts';
import { blocking, structureErrors } from './schema/structure.ts';

const notChecked: FieldError = invalidValue(
  '<nil>',
  null,
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
);

/** Schemas do not change while the program runs, and all kinds are read at once. */
let schemas: ReturnType<typeof ownSchemas> | undefined;

/** Reads no file and compiles no rule before the first object of one of the kinds is written. */
export function ownRules(kind: string): ResourceRules {
  const checkRules = ruleChecker();
  const schema = () => {
    schemas ??= ownSchemas();
    const found = schemas[kind];
    if (!found) throw new Error(`no CustomResourceDefinition of kind ${kind}`);
    return found;
  };
  return {
    prune: (object) => prune(object, schema()),
    validate(next, old) {
      const place = { schema: schema(), path: '', value: content(next), old: old && content(old) };
      const errors = structureErrors(place);
      if (hasRules(place.schema) && errors.some(({ reason }) => blocking.has(reason))) return [...errors, notChecked];
      return [...errors, ...checkRules(place)];
    },
  };
}

function hasRules(schema: Schema): boolean {
  if (schema['x-kubernetes-validations']) return true;
  const { properties = {}, items } = schema;
  return Object.values(properties).some(hasRules) || (items !== undefined && hasRules(items));
}

/** Metadata is validated for all kinds alike. */
function content({ metadata: { name }, ...rest }: KubeObject): object {
  return { ...rest, metadata: mapAt({ metadata: { name } }, 'metadata') };
}
