// Random selectors by the grammar and the declared functions: mostly well typed, sometimes not, from a tape of choices.
import type { Overload } from '../../lib/cel/declare.ts';
import { languageOf, newestRelease } from '../../lib/cel/environment.ts';
import {
  bool,
  bytes,
  double,
  duration,
  dyn,
  intType,
  listOf,
  mapOf,
  string,
  type Type,
  timestamp,
  uint,
} from '../../lib/cel/types.ts';
import { attributeNames, literals, textsFor } from './randomLiterals.ts';

/** Chooses a number from 0 to below `bound`. */
export type Choose = (bound: number) => number;

/** Reads choices from a tape and chooses 0, the simplest, when it has ended; shorter tapes give simpler texts. */
export function tapeOf(tape: readonly number[]): Choose {
  let next = 0;
  return (bound) => (tape[next++] ?? 0) % bound;
}

interface Declared {
  readonly name: string;
  readonly overload: Overload;
}

const declared: readonly Declared[] = [...languageOf({ release: newestRelease, gates: {} }).environment.declarations]
  .flatMap(([name, { overloads }]) => overloads.map((overload) => ({ name, overload })))
  .filter(({ name }) => !/@(?!in$)/.test(name));

const simple: readonly Type[] = [bool, intType, string, uint, double, bytes, timestamp, duration];

type Bound = ReadonlyMap<string, Type>;

/** What the parameters of `pattern` have to be for it to be `type`; undefined when it cannot be. */
function unified(pattern: Type, type: Type, bound: Bound): Bound | undefined {
  if (pattern.kind === 'param') {
    const known = bound.get(pattern.name);
    if (known) return known.name === type.name ? bound : undefined;
    return new Map(bound).set(pattern.name, type);
  }
  if (pattern.name !== type.name) return undefined;
  let result: Bound | undefined = bound;
  for (const [index, part] of pattern.params.entries())
    result = result && unified(part, type.params[index] ?? dyn, result);
  return result;
}

function substituted(type: Type, bound: Bound): Type {
  if (type.kind === 'param') return bound.get(type.name) ?? string;
  return type.params.length === 0 ? type : { ...type, params: type.params.map((part) => substituted(part, bound)) };
}

interface Variable {
  readonly name: string;
  readonly type: Type;
}

/** One expression of a type, at most `depth` calls deep. */
export function randomExpression(choose: Choose, type: Type = bool, depth = 4): string {
  return new Generator(choose).expression(type, depth, []);
}

class Generator {
  readonly #choose: Choose;
  #variables = 0;

  constructor(choose: Choose) {
    this.#choose = choose;
  }

  #one<T>(list: readonly T[], otherwise: T): T {
    return list.length === 0 ? otherwise : (list[this.#choose(list.length)] ?? otherwise);
  }

  expression(wanted: Type, depth: number, scope: readonly Variable[]): string {
    const type = this.#choose(60) === 1 ? this.#one(simple, bool) : wanted;
    const known = scope.filter((variable) => variable.type.name === type.name);
    if (known.length > 0 && this.#choose(3) === 1) return this.#one(known, { name: 'device', type }).name;
    if (depth <= 0) return this.#leaf(type, scope);
    switch (this.#choose(10)) {
      case 0:
        return this.#leaf(type, scope);
      case 1:
      case 2:
        return this.#macro(type, depth - 1, scope);
      case 3:
        return this.#built(type, depth - 1, scope);
      default:
        return this.#call(type, depth - 1, scope);
    }
  }

  #leaf(type: Type, scope: readonly Variable[]): string {
    const [first = dyn, second = dyn] = type.params;
    if (type.name === 'list') return `[${this.#some((depth) => this.expression(first, depth, scope))}]`;
    if (type.name === 'map') {
      return `{${this.#some((depth) => `${this.expression(first, 0, scope)}: ${this.expression(second, depth, scope)}`)}}`;
    }
    if (type.name === 'optional_type') {
      return this.#choose(4) === 1 ? 'optional.none()' : `optional.of(${this.expression(first, 0, scope)})`;
    }
    if (type.name === 'type')
      return this.#one(['int', 'string', 'type(1.0)', 'net.IP', 'list', 'google.protobuf.Duration'], 'int');
    if (type.name === 'dyn' || type.name === 'google.protobuf.Any') return this.#attribute(scope);
    return this.#one(literals[type.name] ?? [], 'null');
  }

  #some(part: (depth: number) => string): string {
    return Array.from({ length: this.#choose(4) }, () => part(0)).join(', ');
  }

  #attribute(scope: readonly Variable[]): string {
    const name = this.#one(attributeNames, 'model');
    switch (this.#choose(5)) {
      case 1:
        return `device.attributes["gpu.example.com"][${JSON.stringify(name)}]`;
      case 2:
        return `device.attributes["gpu.example.com"].?${name}.orValue(${this.expression(this.#one(simple, bool), 0, scope)})`;
      case 3:
        return `dyn(${this.expression(this.#one(simple, bool), 1, scope)})`;
      default:
        return `device.attributes["gpu.example.com"].${name}`;
    }
  }

  /** Forms that are no calls: conditionals, optional elements, presence, fields of the device. */
  #built(type: Type, depth: number, scope: readonly Variable[]): string {
    if (type.name === 'bool' && this.#choose(2) === 1) {
      const name = this.#one(attributeNames, 'model');
      return this.#one(
        [
          `has(device.attributes["gpu.example.com"].${name})`,
          `device.attributes["gpu.example.com"].${name}`,
          `${this.expression(bool, depth, scope)} && ${this.expression(bool, depth, scope)}`,
          `(${this.expression(bool, depth, scope)} || ${this.expression(bool, depth, scope)})`,
          `"${name}" in device.attributes["gpu.example.com"]`,
          `device.allowMultipleAllocations`,
        ],
        'true',
      );
    }
    if (type.name === 'list' && this.#choose(2) === 1) {
      const element = type.params[0] ?? string;
      const optional = { ...type, name: 'optional_type', params: [element] };
      return `[${this.expression(element, depth, scope)}, ?${this.expression(optional, depth, scope)}]`;
    }
    if (type.name === 'kubernetes.Quantity' && this.#choose(2) === 1)
      return 'device.capacity["gpu.example.com"].memory';
    if (type.name === 'string' && this.#choose(3) === 1) return 'device.driver';
    const condition = this.expression(bool, depth, scope);
    return `(${condition} ? ${this.expression(type, depth, scope)} : ${this.expression(type, depth, scope)})`;
  }

  #macro(type: Type, depth: number, scope: readonly Variable[]): string {
    const element = this.#one(simple, string);
    const variable = { name: `v${this.#variables++}`, type: element };
    const range = this.expression(listOf(element), depth, scope);
    const inner = [...scope, variable];
    const holds = this.expression(bool, depth, inner);
    if (type.name === 'bool') {
      const index = { name: `v${this.#variables++}`, type: intType };
      const pair = this.expression(bool, depth, [...inner, index]);
      const quantifiers = ['all', 'exists', 'exists_one'];
      if (this.#choose(3) !== 1) return `${range}.${this.#one(quantifiers, 'all')}(${variable.name}, ${holds})`;
      return `${range}.${this.#one([...quantifiers, 'existsOne'], 'all')}(${index.name}, ${variable.name}, ${pair})`;
    }
    if (type.name === 'list') {
      const mapped = this.expression(type.params[0] ?? string, depth, inner);
      return this.#one(
        [
          `${range}.map(${variable.name}, ${mapped})`,
          `${range}.map(${variable.name}, ${holds}, ${mapped})`,
          `${range}.transformList(i, ${variable.name}, ${mapped})`,
          `${range}.transformList(i, ${variable.name}, ${holds}, ${mapped})`,
          `${this.expression(type, depth, scope)}.sortBy(w, ${this.expression(intType, 0, [{ name: 'w', type: type.params[0] ?? string }])})`,
          `${range}.filter(${variable.name}, ${holds})`,
        ],
        range,
      );
    }
    if (type.name === 'map') {
      return `${range}.transformMap(i, ${variable.name}, ${this.expression(type.params[1] ?? string, depth, inner)})`;
    }
    const init = this.expression(element, depth, scope);
    if (type.name === 'optional_type') {
      return `optional.of(${init}).optMap(${variable.name}, ${this.expression(type.params[0] ?? string, depth, inner)})`;
    }
    return `cel.bind(${variable.name}, ${init}, ${this.expression(type, depth, inner)})`;
  }

  #call(type: Type, depth: number, scope: readonly Variable[]): string {
    const found = declared.filter(({ overload }) => unified(overload.result, type, new Map()));
    const [direct, any] = [found.filter(({ overload }) => overload.result.kind !== 'param'), found];
    const { name, overload } = this.#one(this.#choose(4) === 1 ? any : direct, { name: 'dyn', overload: fallback });
    const free = new Map(unified(overload.result, type, new Map()) ?? []);
    for (const part of overload.args.flatMap(paramsOf)) if (!free.has(part)) free.set(part, this.#one(simple, string));
    const args = overload.args.map((arg, index) => {
      const texts = textsFor(name, index);
      if (texts.length > 0 && arg.name === 'string' && this.#choose(3) !== 1) return this.#one(texts, '""');
      return this.expression(substituted(arg, free), depth, scope);
    });
    return written(name, overload.member, args);
  }
}

const fallback: Overload = { id: 'to_dyn', member: false, args: [bool], result: dyn };

function paramsOf(type: Type): readonly string[] {
  return type.kind === 'param' ? [type.name] : type.params.flatMap(paramsOf);
}

function written(name: string, member: boolean, args: readonly string[]): string {
  const [a = '', b = '', c = ''] = args;
  if (name === '_?_:_') return `(${a} ? ${b} : ${c})`;
  if (name === '_[_]') return `${a}[${b}]`;
  if (name === '_[?_]') return `${a}[?${b}]`;
  if (name === '@in') return `(${a} in ${b})`;
  const infix = /^_(.+)_$/.exec(name)?.[1];
  if (infix) return `(${a} ${infix} ${b})`;
  if (name === '!_') return `!(${a})`;
  if (name === '-_') return `-(${a})`;
  return member ? `${a}.${name}(${args.slice(1).join(', ')})` : `${name}(${args.join(', ')})`;
}

/** Types whose values the generator is asked for at the top, besides bool. */
export const valueTypes: readonly Type[] = [
  ...simple,
  listOf(intType),
  listOf(string),
  listOf(double),
  mapOf(intType, string),
];
