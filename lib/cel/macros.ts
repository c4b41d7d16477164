// Macros: calls that are expanded into folds and presence tests during parsing.
import { type Call, call, type Fold, ident, list, literal, type Node } from './ast.ts';
import { Refusal } from './refusal.ts';

/** The internal accumulator of a fold; it cannot collide with an identifier of the language. */
export const accumulator = '@result';
const unused = '#unused';

type Expander = (made: Call) => Node | undefined;
/** By `name/arguments`, with a leading dot for methods. */
export type MacroSet = ReadonlyMap<string, Expander>;

export interface MacroOptions {
  /** `all(k, v, ...)` and the other two-variable macros, from Kubernetes 1.32. */
  readonly twoVariables: boolean;
  /** `sortBy`, from Kubernetes 1.34. */
  readonly sortBy: boolean;
}

export function macroSet(options: MacroOptions): MacroSet {
  const macros = new Map<string, Expander>([
    ['has/1', has],
    ['.all/2', quantifier(all, 1)],
    ['.exists/2', quantifier(exists, 1)],
    ['.exists_one/2', quantifier(existsOne, 1)],
    ['.map/2', quantifier(transform, 1)],
    ['.map/3', quantifier(transformIf, 1)],
    ['.filter/2', quantifier(filter, 1)],
    ['.bind/3', bind],
    ['.optMap/2', (made) => optionalMap(made, false)],
    ['.optFlatMap/2', (made) => optionalMap(made, true)],
  ]);
  if (options.twoVariables) for (const [key, expander] of twoVariables) macros.set(key, expander);
  if (options.sortBy) macros.set('.sortBy/2', sortBy);
  return macros;
}

export function expandMacro(macros: MacroSet, made: Call): Node | undefined {
  return macros.get(`${made.target ? '.' : ''}${made.name}/${made.args.length}`)?.(made);
}

interface FoldBody {
  readonly init: Node;
  readonly condition: Node;
  readonly step: Node;
  readonly result: Node;
}
type Shape = (at: number, variables: readonly string[], args: readonly Node[]) => FoldBody;

const twoVariables: readonly (readonly [string, Expander])[] = [
  ['.all/3', quantifier(all, 2)],
  ['.exists/3', quantifier(exists, 2)],
  ['.exists_one/3', quantifier(existsOne, 2)],
  ['.existsOne/3', quantifier(existsOne, 2)],
  ['.transformList/3', quantifier(transform, 2)],
  ['.transformList/4', quantifier(transformIf, 2)],
  ['.transformMap/3', quantifier(transformMap, 2)],
  ['.transformMap/4', quantifier(guarded(transformMap), 2)],
  ['.transformMapEntry/3', quantifier(transformMapEntry, 2)],
  ['.transformMapEntry/4', quantifier(guarded(transformMapEntry), 2)],
];

function quantifier(shape: Shape, variables: 1 | 2): Expander {
  return ({ at, target, args }) => {
    if (!target) return undefined;
    const names = args.slice(0, variables).map(variableOf);
    const [iterVar = '', iterVar2] = names;
    if (iterVar === iterVar2) throw new Refusal(args[1]?.at ?? at, `duplicate variable name ${iterVar}`);
    const body = shape(at, names, args.slice(variables));
    return { kind: 'Fold', at, range: target, iterVar, iterVar2, accuVar: accumulator, ...body };
  };
}

function variableOf(node: Node): string {
  if (node.kind !== 'Ident') throw new Refusal(node.at, 'the variable of a macro must be a simple name');
  if (node.name === '__result__') throw new Refusal(node.at, 'the variable hides the accumulator');
  return node.name;
}

const accu = (at: number) => ident(at, accumulator);
const first = (nodes: readonly Node[], at: number) => nodes[0] ?? literal(at, null);

function all(at: number, _: readonly string[], args: readonly Node[]): FoldBody {
  return {
    init: literal(at, true),
    condition: call(at, '@not_strictly_false', accu(at)),
    step: call(at, '_&&_', accu(at), first(args, at)),
    result: accu(at),
  };
}

function exists(at: number, _: readonly string[], args: readonly Node[]): FoldBody {
  return {
    init: literal(at, false),
    condition: call(at, '@not_strictly_false', call(at, '!_', accu(at))),
    step: call(at, '_||_', accu(at), first(args, at)),
    result: accu(at),
  };
}

function existsOne(at: number, _: readonly string[], args: readonly Node[]): FoldBody {
  return {
    init: literal(at, 0),
    condition: literal(at, true),
    step: call(at, '_?_:_', first(args, at), call(at, '_+_', accu(at), literal(at, 1)), accu(at)),
    result: call(at, '_==_', accu(at), literal(at, 1)),
  };
}

function collecting(at: number, step: Node): FoldBody {
  return { init: list(at), condition: literal(at, true), step, result: accu(at) };
}

function transform(at: number, _: readonly string[], args: readonly Node[]): FoldBody {
  return collecting(at, call(at, '_+_', accu(at), list(at, first(args, at))));
}

function guarded(shape: Shape): Shape {
  return (at, variables, args) => {
    const body = shape(at, variables, args.slice(1));
    return { ...body, step: call(at, '_?_:_', first(args, at), body.step, accu(at)) };
  };
}

function transformIf(at: number, variables: readonly string[], args: readonly Node[]): FoldBody {
  return guarded(transform)(at, variables, args);
}

function filter(at: number, variables: readonly string[], args: readonly Node[]): FoldBody {
  return transformIf(at, variables, [first(args, at), ident(at, variables[0] ?? '')]);
}

function inserting(at: number, ...inserted: readonly Node[]): FoldBody {
  const init: Node = { kind: 'Map', at, entries: [] };
  return { ...collecting(at, call(at, 'cel.@mapInsert', accu(at), ...inserted)), init };
}

function transformMap(at: number, variables: readonly string[], args: readonly Node[]): FoldBody {
  return inserting(at, ident(at, variables[0] ?? ''), first(args, at));
}

function transformMapEntry(at: number, _: readonly string[], args: readonly Node[]): FoldBody {
  return inserting(at, first(args, at));
}

function has({ at, args }: Call): Node {
  const field = first(args, at);
  if (field.kind !== 'Select') throw new Refusal(field.at, 'has() needs a field, as in has(device.attributes.x)');
  return { ...field, testOnly: true };
}

/** Binds `variable` to `init` while `body` runs: a fold over an empty list, as in CEL. */
function bound(at: number, variable: string, init: Node, body: Node): Fold {
  const condition = literal(at, false);
  const step = ident(at, variable);
  const shape = { init, condition, step, result: body };
  return { kind: 'Fold', at, range: list(at), iterVar: unused, iterVar2: undefined, accuVar: variable, ...shape };
}

function bind({ at, target, args }: Call): Node | undefined {
  const [variable, init, body] = args;
  if (target?.kind !== 'Ident' || target.name !== 'cel' || !variable || !init || !body) return undefined;
  if (variable.kind !== 'Ident') throw new Refusal(variable.at, 'the variable of cel.bind must be a simple name');
  return bound(at, variable.name, init, body);
}

function optionalMap({ at, target, args }: Call, flat: boolean): Node | undefined {
  const [variable, body] = args;
  if (!target || !variable || !body) return undefined;
  if (variable.kind !== 'Ident') throw new Refusal(variable.at, 'the variable of optMap must be a simple name');
  return { kind: 'OptionalMap', at, target, variable: variable.name, body, flat };
}

const sortInput = '@sorted';

function sortBy({ at, target, args }: Call): Node | undefined {
  const sortable = ['List', 'Select', 'Ident', 'Fold', 'Call', 'OptionalMap'];
  if (!target || !sortable.includes(target.kind)) throw new Refusal(at, 'sortBy needs a list');
  const input = ident(at, sortInput);
  const keys = quantifier(transform, 1)({ kind: 'Call', at, name: 'map', target: input, args });
  if (!keys) return undefined;
  const sorted: Call = { kind: 'Call', at, name: '@sortByAssociatedKeys', target: input, args: [keys] };
  return bound(at, sortInput, target, sorted);
}
