// State shared by all parts of the checker: the declared names, the types found so far, and how to check a part.
import type { Node } from './ast.ts';
import type { Declarations, FunctionDeclaration, Overload } from './declare.ts';
import type { Scope } from './scope.ts';
import type { Type } from './types.ts';
import type { Bindings } from './unify.ts';

/** Names an expression may use besides its own variables. */
export interface Environment {
  readonly declarations: Declarations;
  readonly variables: ReadonlyMap<string, Type>;
  readonly types: ReadonlyMap<string, Type>;
  /** Fields of object types that can be selected. */
  readonly fields: ReadonlyMap<string, ReadonlyMap<string, Type>>;
}

/** A call after overload resolution; with several overloads the choice is made at run time. */
export interface ResolvedCall {
  readonly declaration: FunctionDeclaration;
  readonly overloads: readonly Overload[];
  /** Receiver, if any, then arguments. */
  readonly args: readonly Node[];
}

export interface Checking {
  readonly environment: Environment;
  readonly bindings: Bindings;
  readonly calls: Map<Node, ResolvedCall>;
  /** Names that denote a type value. */
  readonly typeValues: Map<Node, Type>;
  /** The type of a node, cached. Throws a `Refusal` for the first error. */
  check(node: Node, scope: Scope | undefined): Type;
  expect(node: Node, type: Type, wanted: Type): void;
  text(type: Type): string;
}
