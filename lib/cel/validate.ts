// Checks beyond types: literals hold one type of element, and constant format strings fit their arguments.
import { recallNothing } from '../model/recall.ts';
import type { Call, ListLiteral, MapLiteral, Node } from './ast.ts';
import type { Checked } from './check.ts';
import { checkFormat } from './checkFormat.ts';
import { compiledPattern } from './pattern.ts';
import { Refusal } from './refusal.ts';
import { isDyn, sameType, type Type, typeText, unwrapped } from './types.ts';
import { CelError } from './values.ts';

/** Throws a `Refusal`. Literals anywhere inside a call of `format` may mix types. */
export function validate(checked: Checked, node: Node, exempt = false): void {
  if (node.kind === 'List' && !exempt) checkList(checked, node);
  if (node.kind === 'Map' && !exempt) checkMap(checked, node);
  if (node.kind === 'Call') checkCall(checked, node);
  const inside = exempt || (node.kind === 'Call' && node.name === 'format');
  for (const part of partsOf(node)) validate(checked, part, inside);
}

function partsOf(node: Node): readonly Node[] {
  switch (node.kind) {
    case 'Select':
      return [node.operand];
    case 'Call':
      return node.target ? [node.target, ...node.args] : node.args;
    case 'List':
      return node.elements.map((element) => element.value);
    case 'Map':
      return node.entries.flatMap((entry) => [entry.key, entry.value]);
    case 'Fold':
      return [node.range, node.init, node.condition, node.step, node.result];
    case 'OptionalMap':
      return [node.target, node.body];
    default:
      return [];
  }
}

function checkList(checked: Checked, node: ListLiteral): void {
  let first: Type | undefined;
  for (const { value, optional } of node.elements) {
    const type = elementType(checked, value, optional);
    first ??= type;
    if (first && type) expectSame(value, first, type);
  }
}

function checkMap(checked: Checked, node: MapLiteral): void {
  const [first] = node.entries;
  const keyType = first && checked.types.get(first.key);
  const valueType = first && elementType(checked, first.value, first.optional);
  for (const { key, value, optional } of node.entries) {
    const type = checked.types.get(key);
    if (keyType && type) expectSame(key, keyType, type);
    const held = elementType(checked, value, optional);
    if (valueType && held) expectSame(value, valueType, held);
  }
}

/** An optional element must have a type known to be optional; upstream's validator crashes on any other. */
function elementType(checked: Checked, node: Node, optional: boolean): Type | undefined {
  const type = checked.types.get(node);
  if (!optional || !type) return type;
  if (isDyn(type)) throw new Refusal(node.at, 'an optional element needs a value whose type is known to be optional');
  return unwrapped(type);
}

function expectSame(node: Node, wanted: Type, type: Type): void {
  if (sameType(wanted, type)) return;
  throw new Refusal(node.at, `expected type '${typeText(wanted)}' but found '${typeText(type)}'`);
}

function checkCall(checked: Checked, node: Call): void {
  const [first] = node.args;
  if (node.name === 'matches' && first?.kind === 'Literal' && typeof first.value === 'string') {
    const pattern = compiledPattern(first.value, recallNothing);
    if (pattern instanceof CelError) throw new Refusal(first.at, 'invalid matches argument');
  }
  const literalFormat = node.target?.kind === 'Literal' && typeof node.target.value === 'string';
  if (node.name !== 'format' || !literalFormat || node.args.length !== 1 || first?.kind !== 'List') return;
  const nodes = first.elements.map((element) => element.value);
  checkFormat({ at: node.at, format: String(node.target.value), args: nodes, types: checked.types });
}
