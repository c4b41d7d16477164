// Compares a constant format string with the static types of its arguments.
import type { Node } from './ast.ts';
import { type Clause, clausesOf } from './library/formatClauses.ts';
import { Refusal } from './refusal.ts';
import { dyn, type Type, type TypeKind } from './types.ts';

export interface FormatCall {
  readonly at: number;
  readonly format: string;
  readonly args: readonly Node[];
  readonly types: ReadonlyMap<Node, Type>;
}

const integers: readonly TypeKind[] = ['int', 'uint'];
const accepted: Readonly<Record<Exclude<Clause['verb'], 's'>, readonly TypeKind[]>> = {
  d: integers,
  o: integers,
  b: [...integers, 'bool'],
  x: [...integers, 'string', 'bytes'],
  X: [...integers, 'string', 'bytes'],
  f: ['double', 'string'],
  e: ['double', 'string'],
};
const printable: readonly TypeKind[] = [
  'list',
  'map',
  'int',
  'uint',
  'double',
  'bool',
  'string',
  'timestamp',
  'bytes',
  'duration',
  'type',
  'null',
];

/** Throws a `Refusal` for an invalid format, a missing or superfluous argument, or one that its clause cannot format. */
export function checkFormat(call: FormatCall): void {
  const parts = clausesOf(call.format);
  if (typeof parts === 'string') throw new Refusal(call.at, `could not parse formatting clause: ${parts}`);
  const clauses = parts.filter((part): part is Clause => typeof part !== 'string');
  for (const [index, clause] of clauses.entries()) {
    const arg = call.args[index];
    if (!arg) throw new Refusal(call.at, `index ${index} out of range`);
    checkClause(call, clause, arg);
  }
  if (call.args.length > clauses.length) {
    const counts = `expected ${clauses.length}, got ${call.args.length}`;
    throw new Refusal(call.at, `too many arguments supplied to string.format (${counts})`);
  }
}

function checkClause(call: FormatCall, { verb }: Clause, arg: Node): void {
  if (verb === 's') checkPrintable(call, arg);
  else if (!isOneOf(call, arg, accepted[verb]))
    throw new Refusal(arg.at, `clause %${verb} cannot be used on ${call.types.get(arg)?.name}`);
}

function checkPrintable(call: FormatCall, arg: Node): void {
  if (!isOneOf(call, arg, printable)) {
    throw new Refusal(arg.at, `clause %s cannot be used on ${call.types.get(arg)?.name}`);
  }
  if (arg.kind === 'List') for (const { value } of arg.elements) checkPrintable(call, value);
  if (arg.kind !== 'Map') return;
  for (const { key, value } of arg.entries) {
    checkPrintable(call, key);
    checkPrintable(call, value);
  }
}

function isOneOf(call: FormatCall, arg: Node, kinds: readonly TypeKind[]): boolean {
  const type = call.types.get(arg);
  return type === undefined || type === dyn || type.kind === 'dyn' || kinds.includes(type.kind);
}
