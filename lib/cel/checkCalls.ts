// Types of calls: which overloads of a function accept the arguments, and their result type.
import { type Call, type Node, qualifiedName } from './ast.ts';
import { optionalSelectType } from './checkFields.ts';
import type { Checking } from './checking.ts';
import type { FunctionDeclaration, Overload } from './declare.ts';
import { Refusal } from './refusal.ts';
import type { Scope } from './scope.ts';
import { bool, dyn, isDyn, param, sameType, type Type, withParams } from './types.ts';

interface CallSite {
  readonly node: Call;
  readonly declaration: FunctionDeclaration;
  readonly member: boolean;
  readonly nodes: readonly Node[];
}

export function callType(checking: Checking, node: Call, scope: Scope | undefined): Type {
  if (node.name === '_?._') return optionalSelectType(checking, node, scope);
  const args = node.args.map((arg) => checking.check(arg, scope));
  if (node.name === '_&&_' || node.name === '_||_') return logicalType(checking, node, args);
  const prefix = node.target && qualifiedName(node.target);
  const namespaced = prefix === undefined ? undefined : declarationOf(checking, `${prefix}.${node.name}`);
  if (namespaced) return resolved(checking, { node, declaration: namespaced, member: false, nodes: node.args }, args);
  const target = node.target ? [checking.check(node.target, scope)] : [];
  const declaration = declarationOf(checking, node.name);
  if (!declaration) throw new Refusal(node.at, `undeclared reference to function '${node.name}'`);
  const nodes = node.target ? [node.target, ...node.args] : node.args;
  return resolved(checking, { node, declaration, member: node.target !== undefined, nodes }, [...target, ...args]);
}

function declarationOf(checking: Checking, name: string): FunctionDeclaration | undefined {
  return checking.environment.declarations.get(name.replace(/^\./, ''));
}

function logicalType(checking: Checking, node: Call, args: readonly Type[]): Type {
  for (const [index, type] of args.entries()) {
    if (!checking.bindings.assignable(type, bool)) {
      throw new Refusal(node.args[index]?.at ?? node.at, `expected type 'bool' but found '${checking.text(type)}'`);
    }
  }
  return bool;
}

function resolved(checking: Checking, call: CallSite, args: readonly Type[]): Type {
  const matched: Overload[] = [];
  let result: Type | undefined;
  for (const overload of call.declaration.overloads) {
    if (overload.member !== call.member) continue;
    const renamed = fresh(checking, [...overload.args, overload.result]);
    const wanted = renamed.slice(0, -1);
    if (!checking.bindings.assignableAll(args, wanted)) continue;
    matched.push(overload);
    const type = checking.bindings.resolved(renamed[wanted.length] ?? dyn);
    if (result === undefined) result = type;
    else if (!isDyn(result) && !sameType(type, result)) result = dyn;
  }
  if (result === undefined) throw noOverload(checking, call, args);
  checking.calls.set(call.node, { declaration: call.declaration, overloads: matched, args: call.nodes });
  return result;
}

function noOverload(checking: Checking, call: CallSite, args: readonly Type[]): Refusal {
  const given = args.map((type) => checking.text(type)).join(', ');
  return new Refusal(call.node.at, `found no matching overload for '${call.declaration.name}' applied to (${given})`);
}

/** Type parameters of an overload, each replaced by a new variable. */
function fresh(checking: Checking, types: readonly Type[]): readonly Type[] {
  const names = new Map<string, Type>();
  const replace = (type: Type): Type => {
    if (type.kind === 'param') {
      const known = names.get(type.name) ?? param(checking.bindings.freshName());
      names.set(type.name, known);
      return known;
    }
    return type.params.length === 0 ? type : withParams(type, type.params.map(replace));
  };
  return types.map(replace);
}
