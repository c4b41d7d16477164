// Converts conditions and attribute changes to DynamoDB expressions; pure.
import type { AttributeChange, Condition } from '../../table.ts';

/** The parameters common to all write commands; empty maps are left out because DynamoDB rejects them. */
export interface Expressions {
  ConditionExpression?: string;
  UpdateExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Record<string, unknown>;
}

interface Placeholders {
  name(of: string): string;
  value(of: unknown): string;
}

function renderCondition(condition: Condition, to: Placeholders): string {
  switch (condition.kind) {
    case 'absent':
      return `attribute_not_exists(${to.name(condition.name)})`;
    case 'present':
      return `attribute_exists(${to.name(condition.name)})`;
    case 'compare':
      return `${to.name(condition.name)} ${condition.op} ${to.value(condition.value)}`;
    case 'all':
      return condition.of.map((part) => `(${renderCondition(part, to)})`).join(' AND ');
    case 'any':
      return condition.of.map((part) => `(${renderCondition(part, to)})`).join(' OR ');
    default:
      return condition satisfies never;
  }
}

function renderChange(change: AttributeChange, to: Placeholders): string {
  const set = Object.entries(change.set ?? {}).filter(([, value]) => value !== undefined);
  const add = Object.entries(change.add ?? {});
  const clauses = [];
  if (set.length > 0)
    clauses.push(`SET ${set.map(([name, value]) => `${to.name(name)} = ${to.value(value)}`).join(', ')}`);
  if (add.length > 0)
    clauses.push(`ADD ${add.map(([name, value]) => `${to.name(name)} ${to.value(value)}`).join(', ')}`);
  if (change.remove?.length) clauses.push(`REMOVE ${change.remove.map((name) => to.name(name)).join(', ')}`);
  return clauses.join(' ');
}

/** Renders a condition and a change with placeholders for names and values, so that attribute names may be reserved words. */
export function renderExpressions(when: Condition | undefined, change?: AttributeChange): Expressions {
  const names: Record<string, string> = {};
  const values: Record<string, unknown> = {};
  const to: Placeholders = {
    name: (of) => {
      names[`#${of}`] = of;
      return `#${of}`;
    },
    value: (of) => {
      const placeholder = `:v${Object.keys(values).length}`;
      values[placeholder] = of;
      return placeholder;
    },
  };
  const expressions: Expressions = {};
  if (when) expressions.ConditionExpression = renderCondition(when, to);
  if (change) expressions.UpdateExpression = renderChange(change, to);
  if (Object.keys(names).length > 0) expressions.ExpressionAttributeNames = names;
  if (Object.keys(values).length > 0) expressions.ExpressionAttributeValues = values;
  return expressions;
}
