// Evaluates the validation rules of a schema on an object (x-kubernetes-validations).

import { StringMap } from '../../../cel/map.ts';
import { compileRule, type RuleProgram } from '../../../cel/rule.ts';
import { CelDouble, CelList, type Value } from '../../../cel/values.ts';
import { invalidValue } from '../names.ts';
import { isMap, same } from '../object.ts';
import type { FieldError } from '../resourceType.ts';
import { fieldSchema, partsOf } from './parts.ts';
import type { Place, Rule, Schema } from './schema.ts';

/** Compiles each expression when it is first needed. */
export function ruleChecker(): (place: Place) => readonly FieldError[] {
  const programs = new Map<string, RuleProgram>();
  const program = (expression: string): RuleProgram => {
    const made = programs.get(expression) ?? compileRule(expression);
    programs.set(expression, made);
    return made;
  };
  const messageOf = ({ message, messageExpression }: Rule, self: Value) =>
    messageExpression === undefined ? message : String(program(messageExpression)(self));
  const check = (place: Place): readonly FieldError[] => {
    const { schema, path, value, old } = place;
    if (old !== undefined && same(value, old)) return [];
    const rules = schema['x-kubernetes-validations'] ?? [];
    const self = rules.length > 0 ? celValue(value, schema) : null;
    const failed = rules.filter(({ rule }) => program(rule)(self) !== true);
    return [...failed.map((rule) => refusal(path, value, messageOf(rule, self))), ...partsOf(place).flatMap(check)];
  };
  return check;
}

/** Objects and lists are not repeated in a message. */
function refusal(field: string, value: unknown, why: string): FieldError {
  if (typeof value === 'object') return { field, reason: 'FieldValueInvalid', message: `Invalid value: ${why}` };
  return invalidValue(field, value, why);
}

function celValue(value: unknown, schema: Schema): Value {
  if (Array.isArray(value)) return new CelList(value.map((item) => celValue(item, schema.items ?? {})));
  if (typeof value === 'number') return schema.type === 'number' ? new CelDouble(value) : value;
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (!isMap(value)) return null;
  const fields = Object.entries(value).map(([field, part]) => {
    return [field, celValue(part, fieldSchema(schema, field) ?? {})] as const;
  });
  return new StringMap(new Map(fields));
}
