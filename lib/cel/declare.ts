// Declarations of library functions: overloads with types, implementation and cost.
import type { Meter } from './meter.ts';
import type { Type } from './types.ts';
import type { Value } from './values.ts';

/** Runs with evaluated arguments, the receiver first. Errors are returned; `Abort` is thrown. */
export type Implementation = (meter: Meter, a: Value, b: Value, c: Value | undefined, d: Value | undefined) => Value;

/** Cost units of one call, from its arguments and result. */
export type Cost = (args: readonly Value[], result: Value) => number;

export interface Overload {
  readonly id: string;
  readonly member: boolean;
  readonly args: readonly Type[];
  readonly result: Type;
  /** Absent if the function has one implementation for all overloads. */
  readonly run?: Implementation;
  readonly cost?: Cost;
}

export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
  /** One implementation with its own run-time checks, as for operators. */
  readonly run?: Implementation;
  readonly cost?: Cost;
  /** Kubernetes declares argument types but does not check them before the call. */
  readonly unguarded?: boolean;
}

export function fn(name: string, ...overloads: readonly Overload[]): FunctionDeclaration {
  return { name, overloads };
}

/** One implementation behind several signatures. */
export function oneFor(name: string, run: Implementation, ...overloads: readonly Overload[]): FunctionDeclaration {
  return { name, overloads, run };
}

type Signature = readonly [...args: Type[], result: Type];

function overload(id: string, member: boolean, signature: Signature, run?: Implementation): Overload {
  const args = signature.slice(0, -1);
  const result = signature[signature.length - 1];
  if (result === undefined) throw new Error(`overload ${id} has no result type`);
  return run ? { id, member, args, result, run } : { id, member, args, result };
}

/** `name(args)`; the last type is the result. */
export const global = (id: string, signature: Signature, run?: Implementation) => overload(id, false, signature, run);
/** `args[0].name(rest)`. */
export const member = (id: string, signature: Signature, run?: Implementation) => overload(id, true, signature, run);

export function costing(cost: Cost, declaration: FunctionDeclaration): FunctionDeclaration {
  return { ...declaration, cost };
}

/** Every function of an environment by name; functions of one name in several libraries are merged, equal overloads replaced. */
export type Declarations = ReadonlyMap<string, FunctionDeclaration>;

export function declarations(libraries: readonly (readonly FunctionDeclaration[])[]): Declarations {
  const result = new Map<string, FunctionDeclaration>();
  for (const declared of libraries.flat()) {
    const before = result.get(declared.name);
    const known = before?.overloads ?? [];
    const redeclared = (id: string) => declared.overloads.find((one) => one.id === id);
    const added = declared.overloads.filter(({ id }) => !known.some((one) => one.id === id));
    const overloads = [...known.map((one) => redeclared(one.id) ?? one), ...added];
    result.set(declared.name, { ...before, ...declared, overloads });
  }
  return result;
}
