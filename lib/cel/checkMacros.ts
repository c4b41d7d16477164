// Types of expanded macros: loops over lists and maps, and the mapping of an optional.
import type { Fold, OptionalMap } from './ast.ts';
import type { Checking } from './checking.ts';
import { Refusal } from './refusal.ts';
import { Scope } from './scope.ts';
import { bool, dyn, intType, optionalOf, param, type Type } from './types.ts';

export function foldType(checking: Checking, node: Fold, scope: Scope | undefined): Type {
  const range = checking.bindings.resolved(checking.check(node.range, scope));
  const accuType = checking.check(node.init, scope);
  const outer = new Scope(scope, [[node.accuVar, accuType]]);
  const inner = new Scope(outer, iterated(checking, node, range));
  checking.expect(node.condition, checking.check(node.condition, inner), bool);
  checking.expect(node.step, checking.check(node.step, inner), accuType);
  return checking.bindings.resolved(checking.check(node.result, outer));
}

function iterated(checking: Checking, node: Fold, range: Type): readonly (readonly [string, Type])[] {
  const [first = dyn, second = dyn] = rangeTypes(checking, node, range);
  if (node.iterVar2 === undefined) return [[node.iterVar, range.kind === 'list' ? second : first]];
  return [
    [node.iterVar, first],
    [node.iterVar2, second],
  ];
}

/** Types of index or key, and of element or value. */
function rangeTypes(checking: Checking, node: Fold, range: Type): readonly Type[] {
  if (range.kind === 'list') return [intType, range.params[0] ?? dyn];
  if (range.kind === 'map') return range.params;
  if (range.kind !== 'dyn' && range.kind !== 'param') {
    throw new Refusal(node.range.at, `expression of type '${checking.text(range)}' cannot be a range to iterate`);
  }
  checking.bindings.assignable(dyn, range);
  return [dyn, dyn];
}

export function optionalMapType(checking: Checking, node: OptionalMap, scope: Scope | undefined): Type {
  const target = checking.check(node.target, scope);
  const value = param(checking.bindings.freshName());
  checking.expect(node.target, target, optionalOf(value));
  const inner = new Scope(scope, [[node.variable, checking.bindings.resolved(value)]]);
  const body = checking.check(node.body, inner);
  const whole = node.flat ? body : optionalOf(body);
  const joined = param(checking.bindings.freshName());
  const absent = optionalOf(param(checking.bindings.freshName()));
  if (!checking.bindings.assignableAll([whole, absent], [joined, joined])) {
    throw new Refusal(node.body.at, `expected type 'optional_type' but found '${checking.text(body)}'`);
  }
  return checking.bindings.resolved(joined);
}
