// Assignability of static types, with type parameters that are bound on first use.
import { dyn, isDyn, sameType, type Type, withParams } from './types.ts';

/** The binding of each type parameter so far. A failed attempt has no effect. */
export class Bindings {
  readonly #bound = new Map<string, Type>();
  #undo: (readonly [string, Type | undefined])[] = [];
  #fresh = 0;

  freshName(): string {
    return `_var${this.#fresh++}`;
  }

  /** Whether every given type can be used where the wanted type is expected. */
  assignableAll(wanted: readonly Type[], given: readonly Type[]): boolean {
    this.#undo = [];
    if (wanted.length === given.length && this.#allFit(wanted, given)) return true;
    for (const [name, before] of this.#undo.reverse()) {
      if (before === undefined) this.#bound.delete(name);
      else this.#bound.set(name, before);
    }
    return false;
  }

  assignable(wanted: Type, given: Type): boolean {
    return this.assignableAll([wanted], [given]);
  }

  /** The type with bound parameters replaced; unbound ones become dyn if `toDyn` is set. */
  resolved(type: Type, toDyn = false): Type {
    if (type.kind === 'param') {
      const bound = this.#bound.get(type.name);
      if (bound) return this.resolved(bound, toDyn);
      return toDyn ? dyn : type;
    }
    if (type.params.length === 0) return type;
    const params = type.params.map((param) => this.resolved(param, toDyn));
    return params.every((param, index) => param === type.params[index]) ? type : withParams(type, params);
  }

  #bind(name: string, type: Type): void {
    this.#undo.push([name, this.#bound.get(name)]);
    this.#bound.set(name, type);
  }

  #allFit(left: readonly Type[], right: readonly Type[]): boolean {
    return left.length === right.length && left.every((type, index) => this.#fits(type, right[index] ?? dyn));
  }

  #fits(a: Type, b: Type): boolean {
    if (b.kind === 'param') {
      const { valid, bound } = this.#substitutes(a, b);
      if (valid) return true;
      if (bound) return false;
    }
    if (a.kind === 'param') return this.#substitutes(b, a).valid;
    if (isDyn(a) || isDyn(b)) return true;
    if (a.kind === 'null') return nullable(b);
    if (b.kind === 'null') return nullable(a);
    if (a.kind === 'type') return b.kind === 'type';
    return a.kind === b.kind && a.name === b.name && this.#allFit(a.params, b.params);
  }

  /** Whether a type can replace a parameter; if so, binds or widens the parameter. */
  #substitutes(type: Type, parameter: Type): { readonly valid: boolean; readonly bound: boolean } {
    if (sameType(type, parameter)) return { valid: true, bound: true };
    const current = this.#bound.get(parameter.name);
    if (current) {
      if (sameType(type, current)) return { valid: true, bound: true };
      if (!this.#fits(type, current)) return { valid: false, bound: true };
      const wider = mostGeneral(type, current);
      if (this.#absentFrom(parameter, wider)) this.#bind(parameter.name, wider);
      return { valid: true, bound: true };
    }
    if (!this.#absentFrom(parameter, type)) return { valid: false, bound: false };
    this.#bind(parameter.name, type);
    return { valid: true, bound: false };
  }

  #absentFrom(parameter: Type, type: Type): boolean {
    if (sameType(parameter, type)) return false;
    if (type.kind === 'param') {
      const bound = this.#bound.get(type.name);
      return bound === undefined || this.#absentFrom(parameter, bound);
    }
    return type.params.every((part) => this.#absentFrom(parameter, part));
  }
}

function nullable(type: Type): boolean {
  return ['object', 'opaque', 'duration', 'timestamp', 'null', 'any', 'dyn'].includes(type.kind);
}

export function mostGeneral(a: Type, b: Type): Type {
  return atMostAsSpecific(a, b) ? a : b;
}

function atMostAsSpecific(a: Type, b: Type): boolean {
  if (isDyn(a) || a.kind === 'param') return true;
  if (isDyn(b) || b.kind === 'param' || a.kind !== b.kind) return false;
  if (a.kind === 'type') return true;
  if (a.kind !== 'opaque' && a.kind !== 'list' && a.kind !== 'map') return sameType(a, b);
  if (a.name !== b.name || a.params.length !== b.params.length) return false;
  return a.params.every((part, index) => atMostAsSpecific(part, b.params[index] ?? dyn));
}
