// Parses DynamoDB's condition, key and update expressions into trees with names and values substituted; refuses other syntax.
import { type Attribute, ValidationError } from './attribute.ts';

export type Operand =
  | { readonly kind: 'Path'; readonly name: string }
  | { readonly kind: 'Value'; readonly value: Attribute };

export type Comparison = '=' | '<>' | '<' | '<=' | '>' | '>=';

export type Test =
  | { readonly kind: 'Exists' | 'NotExists'; readonly name: string }
  | { readonly kind: 'BeginsWith'; readonly of: Operand; readonly prefix: Operand }
  | { readonly kind: 'Compare'; readonly left: Operand; readonly op: Comparison; readonly right: Operand }
  | { readonly kind: 'Between'; readonly of: Operand; readonly low: Operand; readonly high: Operand }
  | { readonly kind: 'And' | 'Or'; readonly of: readonly Test[] };

export interface Update {
  readonly set: readonly { readonly name: string; readonly to: Operand }[];
  readonly add: readonly { readonly name: string; readonly value: Operand }[];
  readonly remove: readonly string[];
}

export interface Placeholders {
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>> | undefined;
  readonly ExpressionAttributeValues?: Readonly<Record<string, Attribute>> | undefined;
}

const token = /\s*(<>|<=|>=|[=<>(),]|[:#]?[A-Za-z0-9_.\-/]+)/y;

class Parser {
  readonly #tokens: readonly string[];
  readonly #text: string;
  readonly #of: Placeholders;
  #at = 0;
  /** Position of the closing parenthesis by position of the opening one. */
  readonly #closed = new Map<number, number>();

  constructor(text: string, of: Placeholders) {
    this.#text = text;
    this.#of = of;
    const tokens: string[] = [];
    token.lastIndex = 0;
    while (text.slice(token.lastIndex).trim() !== '') {
      const found = token.exec(text);
      if (!found) throw new ValidationError(`Invalid expression: ${text}`);
      tokens.push(found[1] ?? '');
    }
    this.#tokens = tokens;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#tokens.length;
  }

  is(word: string): boolean {
    return this.#tokens[this.#at]?.toUpperCase() === word;
  }

  takes(word: string): boolean {
    const found = this.is(word);
    if (found) this.#at++;
    return found;
  }

  next(): string {
    const found = this.#tokens[this.#at++];
    return found ?? this.refuse('ends too early');
  }

  expect(word: string): void {
    if (!this.takes(word)) this.refuse(`${word} expected`);
  }

  refuse(why: string): never {
    throw new ValidationError(`Invalid expression: ${why}, at token ${this.#at} of: ${this.#text}`);
  }

  any(): Test {
    return this.#list('OR', 'Or', () => this.all());
  }

  all(): Test {
    return this.#list('AND', 'And', () => this.#part());
  }

  #list(word: string, kind: 'And' | 'Or', part: () => Test): Test {
    const first = part();
    const parts = [first];
    while (this.takes(word)) parts.push(part());
    return parts.length === 1 ? first : { kind, of: parts };
  }

  /** Like the service, refuses redundant double parentheses. */
  #part(): Test {
    const opened = this.#at;
    if (!this.takes('(')) return this.#test();
    const inner = this.any();
    if (this.#closed.get(opened + 1) === this.#at - 1) this.refuse('the expression has redundant parentheses');
    this.#closed.set(opened, this.#at);
    this.expect(')');
    return inner;
  }

  #test(): Test {
    if (this.takes('ATTRIBUTE_EXISTS')) return { kind: 'Exists', name: this.#named() };
    if (this.takes('ATTRIBUTE_NOT_EXISTS')) return { kind: 'NotExists', name: this.#named() };
    if (this.takes('BEGINS_WITH')) {
      const [of, prefix] = this.#pair();
      return { kind: 'BeginsWith', of, prefix };
    }
    const left = this.operand();
    if (this.takes('BETWEEN')) {
      const low = this.operand();
      this.expect('AND');
      return { kind: 'Between', of: left, low, high: this.operand() };
    }
    const op = this.next();
    if (!['=', '<>', '<', '<=', '>', '>='].includes(op)) this.refuse(`${op} is no comparison`);
    return { kind: 'Compare', left, op: op as Comparison, right: this.operand() };
  }

  #named(): string {
    this.expect('(');
    const name = this.path();
    this.expect(')');
    return name;
  }

  #pair(): [Operand, Operand] {
    this.expect('(');
    const first = this.operand();
    this.expect(',');
    const second = this.operand();
    this.expect(')');
    return [first, second];
  }

  separated<T>(part: () => T): T[] {
    const parts = [part()];
    while (this.takes(',')) parts.push(part());
    return parts;
  }

  /** Reads an attribute name; only top-level attributes are supported. */
  path(): string {
    const word = this.next();
    if (word.startsWith('#'))
      return this.#of.ExpressionAttributeNames?.[word] ?? this.refuse(`the name ${word} is not given`);
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(word)) this.refuse(`${word} is no top-level attribute`);
    return word;
  }

  operand(): Operand {
    const word = this.#tokens[this.#at] ?? '';
    if (!word.startsWith(':')) return { kind: 'Path', name: this.path() };
    this.#at++;
    const value = this.#of.ExpressionAttributeValues?.[word];
    return value === undefined ? this.refuse(`the value ${word} is not given`) : { kind: 'Value', value };
  }
}

/** Throws ValidationError. */
export function parseTest(text: string, of: Placeholders): Test {
  const parser = new Parser(text, of);
  const test = parser.any();
  if (!parser.isAtEnd) parser.refuse('more follows');
  return test;
}

/** Throws ValidationError. */
export function parseUpdate(text: string, of: Placeholders): Update {
  const parser = new Parser(text, of);
  const update = { set: [] as Update['set'][number][], add: [] as Update['add'][number][], remove: [] as string[] };
  while (!parser.isAtEnd) {
    if (parser.takes('SET')) update.set.push(...parser.separated(() => assignment(parser)));
    else if (parser.takes('ADD'))
      update.add.push(...parser.separated(() => ({ name: parser.path(), value: parser.operand() })));
    else if (parser.takes('REMOVE')) update.remove.push(...parser.separated(() => parser.path()));
    else parser.refuse(`${parser.next()} is no clause of an update`);
  }
  return update;
}

function assignment(parser: Parser): Update['set'][number] {
  const name = parser.path();
  parser.expect('=');
  return { name, to: parser.operand() };
}
