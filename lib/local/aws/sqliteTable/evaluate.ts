// Evaluates conditions on items and applies updates to them.
import { type Attribute, type Item, isEqual, order, plus, ValidationError } from './attribute.ts';
import type { Comparison, Operand, Test, Update } from './expressions.ts';

export function holds(test: Test, item: Item | undefined): boolean {
  const of = (operand: Operand) => resolve(operand, item);
  switch (test.kind) {
    case 'Exists':
      return item?.[test.name] !== undefined;
    case 'NotExists':
      return item?.[test.name] === undefined;
    case 'BeginsWith': {
      const [text, prefix] = [of(test.of)?.S, of(test.prefix)?.S];
      return typeof text === 'string' && typeof prefix === 'string' && text.startsWith(prefix);
    }
    case 'Compare':
      return compares(of(test.left), test.op, of(test.right));
    case 'Between':
      return compares(of(test.of), '>=', of(test.low)) && compares(of(test.of), '<=', of(test.high));
    case 'And':
      return test.of.every((part) => holds(part, item));
    case 'Or':
      return test.of.some((part) => holds(part, item));
    default:
      return test satisfies never;
  }
}

/** As in DynamoDB, false if a side is absent, except for `<>`, which is then true. */
function compares(left: Attribute | undefined, op: Comparison, right: Attribute | undefined): boolean {
  if (op === '=') return isEqual(left, right);
  if (op === '<>') return !isEqual(left, right);
  const found = order(left, right);
  if (found === undefined) return false;
  if (op === '<') return found < 0;
  if (op === '<=') return found <= 0;
  return op === '>' ? found > 0 : found >= 0;
}

function resolve(operand: Operand, item: Item | undefined): Attribute | undefined {
  return operand.kind === 'Value' ? operand.value : item?.[operand.name];
}

/** Reads all operands from the item before the update. Throws ValidationError. */
export function applyUpdate({ set, add, remove }: Update, key: Item, before: Item | undefined): Item {
  const after: Record<string, Attribute> = { ...key, ...before };
  for (const { name, to } of set) {
    const value = resolve(to, before);
    if (value === undefined)
      throw new ValidationError('The provided expression refers to an attribute that does not exist in the item');
    after[name] = value;
  }
  for (const { name, value } of add) after[name] = plus(before?.[name], resolve(value, before));
  for (const name of remove) delete after[name];
  for (const name of Object.keys(key))
    if (!isEqual(after[name], key[name]))
      throw new ValidationError(`Cannot update attribute ${name}. This attribute is part of the key`);
  return after;
}
