// Syntax tree of a selector after macro expansion: seven node kinds, each with its offset in the text.
import type { Value } from './values.ts';

/** A node has its offset (UTF-16 units from the start of the expression), for messages only. */
export type Node = Literal | Ident | Select | Call | ListLiteral | MapLiteral | Fold | OptionalMap;

export interface Literal {
  readonly kind: 'Literal';
  readonly at: number;
  readonly value: Value;
}

/** A name; a leading dot means the root scope even where a local variable has the same name. */
export interface Ident {
  readonly kind: 'Ident';
  readonly at: number;
  readonly name: string;
}

/** `operand.field`, or with `testOnly` the presence test that `has()` expands to. */
export interface Select {
  readonly kind: 'Select';
  readonly at: number;
  readonly operand: Node;
  readonly field: string;
  readonly testOnly: boolean;
}

/** A function, method or operator; operators carry CEL's own internal names (`_+_`, `_[_]`, `_?._`). */
export interface Call {
  readonly kind: 'Call';
  readonly at: number;
  readonly name: string;
  readonly target: Node | undefined;
  readonly args: readonly Node[];
}

export interface ListLiteral {
  readonly kind: 'List';
  readonly at: number;
  readonly elements: readonly { readonly value: Node; readonly optional: boolean }[];
}

export interface MapLiteral {
  readonly kind: 'Map';
  readonly at: number;
  readonly entries: readonly { readonly key: Node; readonly value: Node; readonly optional: boolean }[];
}

/** The expansion of every comprehension macro; `cel.bind` is a fold over an empty list with the variable as accumulator. */
export interface Fold {
  readonly kind: 'Fold';
  readonly at: number;
  readonly range: Node;
  readonly iterVar: string;
  readonly iterVar2: string | undefined;
  readonly accuVar: string;
  readonly init: Node;
  readonly condition: Node;
  readonly step: Node;
  readonly result: Node;
}

/** `target.optMap(variable, body)`; `flat` for `optFlatMap`. Not expanded: cel-go's expansion would duplicate the target. */
export interface OptionalMap {
  readonly kind: 'OptionalMap';
  readonly at: number;
  readonly target: Node;
  readonly variable: string;
  readonly body: Node;
  readonly flat: boolean;
}

export function call(at: number, name: string, ...args: readonly Node[]): Call {
  return { kind: 'Call', at, name, target: undefined, args };
}

export function literal(at: number, value: Value): Literal {
  return { kind: 'Literal', at, value };
}

export function ident(at: number, name: string): Ident {
  return { kind: 'Ident', at, name };
}

export function list(at: number, ...values: readonly Node[]): ListLiteral {
  return { kind: 'List', at, elements: values.map((value) => ({ value, optional: false })) };
}

/** `a.b.c` as "a.b.c" if the node consists of names only; else undefined. */
export function qualifiedName(node: Node): string | undefined {
  if (node.kind === 'Ident') return node.name;
  if (node.kind !== 'Select' || node.testOnly) return undefined;
  const prefix = qualifiedName(node.operand);
  return prefix === undefined ? undefined : `${prefix}.${node.field}`;
}
