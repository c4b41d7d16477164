// Types of list and map literals: elements of one type, or dynamic where some are.
import type { ListLiteral, MapLiteral, Node } from './ast.ts';
import type { Checking } from './checking.ts';
import { Refusal } from './refusal.ts';
import type { Scope } from './scope.ts';
import { dyn, isDyn, isOptional, listOf, mapOf, param, type Type, unwrapped } from './types.ts';
import { mostGeneral } from './unify.ts';

export function listType(checking: Checking, node: ListLiteral, scope: Scope | undefined): Type {
  let element: Type | undefined;
  for (const { value, optional } of node.elements) {
    const type = elementType(checking, value, optional, scope);
    element = element === undefined ? type : joined(checking, element, type);
  }
  return listOf(element ?? param(checking.bindings.freshName()));
}

export function mapType(checking: Checking, node: MapLiteral, scope: Scope | undefined): Type {
  let key: Type | undefined;
  let value: Type | undefined;
  for (const entry of node.entries) {
    const keyType = checking.check(entry.key, scope);
    const valueType = elementType(checking, entry.value, entry.optional, scope);
    key = key === undefined ? keyType : joined(checking, key, keyType);
    value = value === undefined ? valueType : joined(checking, value, valueType);
  }
  return mapOf(key ?? param(checking.bindings.freshName()), value ?? param(checking.bindings.freshName()));
}

function elementType(checking: Checking, node: Node, optional: boolean, scope: Scope | undefined): Type {
  const type = checking.check(node, scope);
  if (!optional || isDyn(type)) return type;
  if (isOptional(type)) return unwrapped(type);
  throw new Refusal(node.at, `expected type 'optional_type' but found '${checking.text(type)}'`);
}

function joined(checking: Checking, before: Type, type: Type): Type {
  return checking.bindings.assignable(before, type) ? mostGeneral(before, type) : dyn;
}
