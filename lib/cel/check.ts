// Static checks: every name is declared, every call has an overload for its argument types, literals are homogeneous.
import type { Node } from './ast.ts';
import { callType } from './checkCalls.ts';
import { identType, selectType } from './checkFields.ts';
import type { Checking, Environment, ResolvedCall } from './checking.ts';
import { listType, mapType } from './checkLiterals.ts';
import { foldType, optionalMapType } from './checkMacros.ts';
import { Refusal } from './refusal.ts';
import type { Scope } from './scope.ts';
import { bool, bytes, double, dyn, intType, nullType, string, type Type, typeText, uint } from './types.ts';
import { Bindings } from './unify.ts';
import { typeName, type Value } from './values.ts';

export interface Checked {
  readonly root: Node;
  readonly types: ReadonlyMap<Node, Type>;
  readonly calls: ReadonlyMap<Node, ResolvedCall>;
  /** Names that denote a type value. */
  readonly typeValues: ReadonlyMap<Node, Type>;
}

/** Throws a `Refusal` for the first error. */
export function check(root: Node, environment: Environment): Checked {
  const checker = new Checker(environment);
  checker.check(root, undefined);
  return checker.finished(root);
}

const literalTypes: Readonly<Record<string, Type>> = {
  bool,
  int: intType,
  uint,
  double,
  string,
  bytes,
  null_type: nullType,
};

class Checker implements Checking {
  readonly environment: Environment;
  readonly bindings = new Bindings();
  readonly calls = new Map<Node, ResolvedCall>();
  readonly typeValues = new Map<Node, Type>();
  readonly #types = new Map<Node, Type>();

  constructor(environment: Environment) {
    this.environment = environment;
  }

  finished(root: Node): Checked {
    for (const [node, type] of this.#types) this.#types.set(node, this.bindings.resolved(type, true));
    return { root, types: this.#types, calls: this.calls, typeValues: this.typeValues };
  }

  check(node: Node, scope: Scope | undefined): Type {
    const type = this.#typeOf(node, scope);
    this.#types.set(node, type);
    return type;
  }

  #typeOf(node: Node, scope: Scope | undefined): Type {
    switch (node.kind) {
      case 'Literal':
        return literalType(node.value);
      case 'Ident':
        return identType(this, node, scope);
      case 'Select':
        return selectType(this, node, scope);
      case 'Call':
        return callType(this, node, scope);
      case 'List':
        return listType(this, node, scope);
      case 'Map':
        return mapType(this, node, scope);
      case 'Fold':
        return foldType(this, node, scope);
      case 'OptionalMap':
        return optionalMapType(this, node, scope);
    }
  }

  text(type: Type): string {
    return typeText(this.bindings.resolved(type, true));
  }

  expect(node: Node, type: Type, wanted: Type): void {
    if (this.bindings.assignable(wanted, type)) return;
    throw new Refusal(node.at, `expected type '${this.text(wanted)}' but found '${this.text(type)}'`);
  }
}

function literalType(value: Value): Type {
  return literalTypes[typeName(value)] ?? dyn;
}
