// Static checks: every name is declared, every call has an overload for its argument types, literals are homogeneous.
import {
  type Call,
  type Fold,
  type Ident,
  type ListLiteral,
  type MapLiteral,
  type Node,
  type OptionalMap,
  qualifiedName,
  type Select,
} from './ast.ts';
import type { Declarations, FunctionDeclaration, Overload } from './declare.ts';
import { Refusal } from './refusal.ts';
import { Scope } from './scope.ts';
import {
  bool,
  bytes,
  double,
  dyn,
  intType,
  isDyn,
  isOptional,
  listOf,
  mapOf,
  nullType,
  optionalOf,
  param,
  sameType,
  string,
  type Type,
  typeOf,
  typeText,
  uint,
  unwrapped,
  withParams,
} from './types.ts';
import { Bindings, mostGeneral } from './unify.ts';
import { typeName, type Value } from './values.ts';

/** Names an expression may use besides its own variables. */
export interface Environment {
  readonly declarations: Declarations;
  readonly variables: ReadonlyMap<string, Type>;
  readonly types: ReadonlyMap<string, Type>;
  /** Fields of object types that can be selected. */
  readonly fields: ReadonlyMap<string, ReadonlyMap<string, Type>>;
}

/** A call after overload resolution; several overloads mean the choice is left to run time. */
export interface ResolvedCall {
  readonly declaration: FunctionDeclaration;
  readonly overloads: readonly Overload[];
  /** Receiver, if any, then arguments. */
  readonly args: readonly Node[];
}

export interface Checked {
  readonly root: Node;
  readonly types: ReadonlyMap<Node, Type>;
  readonly calls: ReadonlyMap<Node, ResolvedCall>;
  /** Names that stand for a type value. */
  readonly typeValues: ReadonlyMap<Node, Type>;
}

/** Throws a `Refusal` at the first thing that is wrong. */
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

class Checker {
  readonly #environment: Environment;
  readonly #bindings = new Bindings();
  readonly #types = new Map<Node, Type>();
  readonly #calls = new Map<Node, ResolvedCall>();
  readonly #typeValues = new Map<Node, Type>();

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  finished(root: Node): Checked {
    for (const [node, type] of this.#types) this.#types.set(node, this.#bindings.resolved(type, true));
    return { root, types: this.#types, calls: this.#calls, typeValues: this.#typeValues };
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
        return this.#ident(node, scope);
      case 'Select':
        return this.#select(node, scope);
      case 'Call':
        return this.#call(node, scope);
      case 'List':
        return this.#list(node, scope);
      case 'Map':
        return this.#map(node, scope);
      case 'Fold':
        return this.#fold(node, scope);
      case 'OptionalMap':
        return this.#optionalMap(node, scope);
    }
  }

  #ident(node: Ident, scope: Scope | undefined): Type {
    const local = scope?.find(node.name);
    if (local) return local;
    const name = node.name.replace(/^\./, '');
    const variable = this.#environment.variables.get(name);
    if (variable) return variable;
    const type = this.#typeValue(node, name);
    if (type) return type;
    throw new Refusal(node.at, `undeclared reference to '${name}'`);
  }

  #typeValue(node: Node, name: string): Type | undefined {
    const type = this.#environment.types.get(name);
    if (!type) return undefined;
    this.#typeValues.set(node, type);
    return typeOf(type);
  }

  #select(node: Select, scope: Scope | undefined): Type {
    const type = this.#qualifiedType(node, scope);
    if (type) return type;
    const field = this.#field({ at: node.at, operand: node.operand, field: node.field, optional: false }, scope);
    return node.testOnly ? bool : field;
  }

  /** `net.IP` and its like; a local variable of the first name hides them. */
  #qualifiedType(node: Select, scope: Scope | undefined): Type | undefined {
    const name = qualifiedName(node);
    if (name === undefined || scope?.find(name.split('.')[0] ?? '')) return undefined;
    return this.#typeValue(node, name.replace(/^\./, ''));
  }

  #field(access: FieldAccess, scope: Scope | undefined): Type {
    const operand = this.#bindings.resolved(this.check(access.operand, scope));
    const type = this.#fieldType(access, unwrapped(operand));
    return isOptional(operand) || access.optional ? optionalOf(type) : this.#bindings.resolved(type);
  }

  #fieldType(access: FieldAccess, type: Type): Type {
    if (type.kind === 'map') return type.params[1] ?? dyn;
    if (type.kind === 'param') this.#bindings.assignable(dyn, type);
    if (type.kind === 'param' || isDyn(type)) return dyn;
    const fields = type.kind === 'object' ? this.#environment.fields.get(type.name) : undefined;
    if (!fields) throw new Refusal(access.at, `type '${typeText(type)}' does not support field selection`);
    const found = fields.get(access.field);
    if (!found) throw new Refusal(access.at, `undefined field '${access.field}'`);
    return found;
  }

  #call(node: Call, scope: Scope | undefined): Type {
    if (node.name === '_?._') return this.#optionalSelect(node, scope);
    const args = node.args.map((arg) => this.check(arg, scope));
    if (node.name === '_&&_' || node.name === '_||_') return this.#logical(node, args);
    const prefix = node.target && qualifiedName(node.target);
    const namespaced = prefix === undefined ? undefined : this.#function(`${prefix}.${node.name}`);
    if (namespaced) return this.#resolve({ node, declaration: namespaced, member: false, nodes: node.args }, args);
    const target = node.target ? [this.check(node.target, scope)] : [];
    const declaration = this.#function(node.name);
    if (!declaration) throw new Refusal(node.at, `undeclared reference to function '${node.name}'`);
    const nodes = node.target ? [node.target, ...node.args] : node.args;
    return this.#resolve({ node, declaration, member: node.target !== undefined, nodes }, [...target, ...args]);
  }

  #function(name: string): FunctionDeclaration | undefined {
    return this.#environment.declarations.get(name.replace(/^\./, ''));
  }

  #optionalSelect(node: Call, scope: Scope | undefined): Type {
    const [operand, field] = node.args;
    if (!operand || field?.kind !== 'Literal') throw new Refusal(node.at, 'optional selection needs a field');
    this.check(field, scope);
    return this.#field({ at: node.at, operand, field: String(field.value), optional: true }, scope);
  }

  #logical(node: Call, args: readonly Type[]): Type {
    for (const [index, type] of args.entries()) {
      if (!this.#bindings.assignable(type, bool)) {
        throw new Refusal(node.args[index]?.at ?? node.at, `expected type 'bool' but found '${this.#text(type)}'`);
      }
    }
    return bool;
  }

  #resolve(call: CallSite, args: readonly Type[]): Type {
    const matched: Overload[] = [];
    let result: Type | undefined;
    for (const overload of call.declaration.overloads) {
      if (overload.member !== call.member) continue;
      const fresh = this.#fresh([...overload.args, overload.result]);
      const wanted = fresh.slice(0, -1);
      if (!this.#bindings.assignableAll(args, wanted)) continue;
      matched.push(overload);
      const type = this.#bindings.resolved(fresh[wanted.length] ?? dyn);
      if (result === undefined) result = type;
      else if (!isDyn(result) && !sameType(type, result)) result = dyn;
    }
    if (result === undefined) throw this.#noOverload(call, args);
    this.#calls.set(call.node, { declaration: call.declaration, overloads: matched, args: call.nodes });
    return result;
  }

  #noOverload(call: CallSite, args: readonly Type[]): Refusal {
    const given = args.map((type) => this.#text(type)).join(', ');
    return new Refusal(call.node.at, `found no matching overload for '${call.declaration.name}' applied to (${given})`);
  }

  #text(type: Type): string {
    return typeText(this.#bindings.resolved(type, true));
  }

  /** Type parameters of an overload, each replaced by a new variable. */
  #fresh(types: readonly Type[]): readonly Type[] {
    const names = new Map<string, Type>();
    const replace = (type: Type): Type => {
      if (type.kind === 'param') {
        const known = names.get(type.name) ?? param(this.#bindings.freshName());
        names.set(type.name, known);
        return known;
      }
      return type.params.length === 0 ? type : withParams(type, type.params.map(replace));
    };
    return types.map(replace);
  }

  #list(node: ListLiteral, scope: Scope | undefined): Type {
    let element: Type | undefined;
    for (const { value, optional } of node.elements) {
      const type = this.#element(value, optional, scope);
      element = element === undefined ? type : this.#joined(element, type);
    }
    return listOf(element ?? param(this.#bindings.freshName()));
  }

  #map(node: MapLiteral, scope: Scope | undefined): Type {
    let key: Type | undefined;
    let value: Type | undefined;
    for (const entry of node.entries) {
      const keyType = this.check(entry.key, scope);
      const valueType = this.#element(entry.value, entry.optional, scope);
      key = key === undefined ? keyType : this.#joined(key, keyType);
      value = value === undefined ? valueType : this.#joined(value, valueType);
    }
    return mapOf(key ?? param(this.#bindings.freshName()), value ?? param(this.#bindings.freshName()));
  }

  #element(node: Node, optional: boolean, scope: Scope | undefined): Type {
    const type = this.check(node, scope);
    if (!optional || isDyn(type)) return type;
    if (isOptional(type)) return unwrapped(type);
    throw new Refusal(node.at, `expected type 'optional_type' but found '${this.#text(type)}'`);
  }

  #joined(before: Type, type: Type): Type {
    return this.#bindings.assignable(before, type) ? mostGeneral(before, type) : dyn;
  }

  #fold(node: Fold, scope: Scope | undefined): Type {
    const range = this.#bindings.resolved(this.check(node.range, scope));
    const accuType = this.check(node.init, scope);
    const outer = new Scope(scope, [[node.accuVar, accuType]]);
    const inner = new Scope(outer, this.#iterated(node, range));
    this.#expect(node.condition, this.check(node.condition, inner), bool);
    this.#expect(node.step, this.check(node.step, inner), accuType);
    return this.#bindings.resolved(this.check(node.result, outer));
  }

  #iterated(node: Fold, range: Type): readonly (readonly [string, Type])[] {
    const [first = dyn, second = dyn] = this.#rangeTypes(node, range);
    if (node.iterVar2 === undefined) return [[node.iterVar, range.kind === 'list' ? second : first]];
    return [
      [node.iterVar, first],
      [node.iterVar2, second],
    ];
  }

  /** Types of index or key, and of element or value. */
  #rangeTypes(node: Fold, range: Type): readonly Type[] {
    if (range.kind === 'list') return [intType, range.params[0] ?? dyn];
    if (range.kind === 'map') return range.params;
    if (range.kind !== 'dyn' && range.kind !== 'param') {
      throw new Refusal(node.range.at, `expression of type '${this.#text(range)}' cannot be a range to iterate`);
    }
    this.#bindings.assignable(dyn, range);
    return [dyn, dyn];
  }

  #optionalMap(node: OptionalMap, scope: Scope | undefined): Type {
    const target = this.check(node.target, scope);
    const value = param(this.#bindings.freshName());
    this.#expect(node.target, target, optionalOf(value));
    const inner = new Scope(scope, [[node.variable, this.#bindings.resolved(value)]]);
    const body = this.check(node.body, inner);
    const whole = node.flat ? body : optionalOf(body);
    const joined = param(this.#bindings.freshName());
    const absent = optionalOf(param(this.#bindings.freshName()));
    if (!this.#bindings.assignableAll([whole, absent], [joined, joined])) {
      throw new Refusal(node.body.at, `expected type 'optional_type' but found '${this.#text(body)}'`);
    }
    return this.#bindings.resolved(joined);
  }

  #expect(node: Node, type: Type, wanted: Type): void {
    if (this.#bindings.assignable(wanted, type)) return;
    throw new Refusal(node.at, `expected type '${this.#text(wanted)}' but found '${this.#text(type)}'`);
  }
}

interface FieldAccess {
  readonly at: number;
  readonly operand: Node;
  readonly field: string;
  readonly optional: boolean;
}

interface CallSite {
  readonly node: Call;
  readonly declaration: FunctionDeclaration;
  readonly member: boolean;
  readonly nodes: readonly Node[];
}

function literalType(value: Value): Type {
  return literalTypes[typeName(value)] ?? dyn;
}
