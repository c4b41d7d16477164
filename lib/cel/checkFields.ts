// Types of names and of fields: variables, type names, the fields of the device, keys of maps.
import { type Call, type Ident, type Node, qualifiedName, type Select } from './ast.ts';
import type { Checking } from './checking.ts';
import { Refusal } from './refusal.ts';
import type { Scope } from './scope.ts';
import { bool, dyn, isDyn, isOptional, optionalOf, type Type, typeOf, typeText, unwrapped } from './types.ts';

export function identType(checking: Checking, node: Ident, scope: Scope | undefined): Type {
  const local = scope?.find(node.name);
  if (local) return local;
  const name = node.name.replace(/^\./, '');
  const variable = checking.environment.variables.get(name);
  if (variable) return variable;
  const type = typeValue(checking, node, name);
  if (type) return type;
  throw new Refusal(node.at, `undeclared reference to '${name}'`);
}

function typeValue(checking: Checking, node: Node, name: string): Type | undefined {
  const type = checking.environment.types.get(name);
  if (!type) return undefined;
  checking.typeValues.set(node, type);
  return typeOf(type);
}

export function selectType(checking: Checking, node: Select, scope: Scope | undefined): Type {
  const type = qualifiedType(checking, node, scope);
  if (type) return type;
  const field = selectedType(
    checking,
    { at: node.at, operand: node.operand, field: node.field, optional: false },
    scope,
  );
  return node.testOnly ? bool : field;
}

/** Qualified type names such as `net.IP`; a local variable with the first part's name hides them. */
function qualifiedType(checking: Checking, node: Select, scope: Scope | undefined): Type | undefined {
  const name = qualifiedName(node);
  if (name === undefined || scope?.find(name.split('.')[0] ?? '')) return undefined;
  return typeValue(checking, node, name.replace(/^\./, ''));
}

export function optionalSelectType(checking: Checking, node: Call, scope: Scope | undefined): Type {
  const [operand, field] = node.args;
  if (!operand || field?.kind !== 'Literal') throw new Refusal(node.at, 'optional selection needs a field');
  checking.check(field, scope);
  return selectedType(checking, { at: node.at, operand, field: String(field.value), optional: true }, scope);
}

interface FieldAccess {
  readonly at: number;
  readonly operand: Node;
  readonly field: string;
  readonly optional: boolean;
}

function selectedType(checking: Checking, access: FieldAccess, scope: Scope | undefined): Type {
  const operand = checking.bindings.resolved(checking.check(access.operand, scope));
  const type = fieldType(checking, access, unwrapped(operand));
  return isOptional(operand) || access.optional ? optionalOf(type) : checking.bindings.resolved(type);
}

function fieldType(checking: Checking, access: FieldAccess, type: Type): Type {
  if (type.kind === 'map') return type.params[1] ?? dyn;
  if (type.kind === 'param') checking.bindings.assignable(dyn, type);
  if (type.kind === 'param' || isDyn(type)) return dyn;
  const fields = type.kind === 'object' ? checking.environment.fields.get(type.name) : undefined;
  if (!fields) throw new Refusal(access.at, `type '${typeText(type)}' does not support field selection`);
  const found = fields.get(access.field);
  if (!found) throw new Refusal(access.at, `undefined field '${access.field}'`);
  return found;
}
