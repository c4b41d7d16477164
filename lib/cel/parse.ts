// Parses a selector into a syntax tree: CEL's grammar by recursive descent, with its nesting limits.
import { call, ident, type ListLiteral, literal, type MapLiteral, type Node } from './ast.ts';
import { Cursor } from './cursor.ts';
import { relations, reserved, sums } from './grammar.ts';
import { type Token, tokens } from './lex.ts';
import { literalOf } from './literal.ts';
import { expandMacro, type MacroSet } from './macros.ts';
import { nesting } from './nesting.ts';
import { Refusal } from './refusal.ts';

export function parse(text: string, macros: MacroSet): Node {
  return new Parser(text, macros).whole();
}

class Parser extends Cursor {
  readonly #macros: MacroSet;
  readonly #nesting = nesting();

  constructor(text: string, macros: MacroSet) {
    super(tokens(text));
    this.#macros = macros;
  }

  whole(): Node {
    const node = this.#expression();
    if (this.peek().kind !== 'end') throw this.unexpected('an operator or the end');
    return node;
  }

  #expression(): Node {
    return this.#nesting.inside('expression', this.peek().at, () => {
      const condition = this.#logical('||');
      const question = this.accept('?');
      if (!question) return condition;
      const whenTrue = this.#logical('||');
      this.expect(':');
      const whenFalse = this.#expression();
      return this.#nesting.deeper(call(question.at, '_?_:_', condition, whenTrue, whenFalse));
    });
  }

  #logical(operator: '||' | '&&'): Node {
    const operand = () => (operator === '||' ? this.#logical('&&') : this.#relation());
    const first = operand();
    const terms = [first];
    let at = first.at;
    for (let token = this.accept(operator); token; token = this.accept(operator)) {
      at = token.at;
      terms.push(operand());
    }
    return terms.length === 1 ? first : this.#nesting.carry(call(at, `_${operator}_`, ...terms), terms);
  }

  #relation(): Node {
    return this.#nesting.inside('relation', this.peek().at, () => {
      let left = this.#sum(1);
      for (;;) {
        const token = this.peek();
        const name = token.kind === 'op' || token.text === 'in' ? relations.get(token.text) : undefined;
        if (name === undefined) return left;
        this.skip();
        const right = this.#nesting.inside('relation', token.at, () => this.#sum(1));
        left = this.#nesting.deeper(call(token.at, name, left, right));
      }
    });
  }

  #sum(level: number): Node {
    return this.#nesting.inside('sum', this.peek().at, () => {
      let left = this.#unary();
      for (;;) {
        const token = this.peek();
        const operator = token.kind === 'op' ? sums.get(token.text) : undefined;
        if (operator === undefined || operator.level < level) return left;
        this.skip();
        const right = this.#sum(operator.level + 1);
        left = this.#nesting.deeper(call(token.at, operator.name, left, right));
      }
    });
  }

  /** An even run of `!` or `-` cancels out; a minus right before a number belongs to the number. */
  #unary(): Node {
    const first = this.peek();
    if (first.text !== '!' && first.text !== '-') return this.#member();
    if (first.text === '-' && this.isBeforeNumber()) return this.#member();
    let count = 0;
    for (; this.accept(first.text); count++);
    const operand = this.#member();
    if (count % 2 === 0) return operand;
    return this.#nesting.carry(call(first.at, first.text === '!' ? '!_' : '-_', operand), [operand]);
  }

  #member(): Node {
    let node = this.#primary();
    for (;;) {
      const dot = this.accept('.');
      const bracket = dot ? undefined : this.accept('[');
      if (dot) node = this.#dotted(node, dot);
      else if (bracket) node = this.#indexed(node, bracket);
      else return node;
    }
  }

  #dotted(operand: Node, dot: Token): Node {
    const optional = this.accept('?') !== undefined;
    const name = this.name('a field name');
    if (optional) return this.#nesting.deeper(call(dot.at, '_?._', operand, literal(name.at, name.text)));
    const open = this.accept('(');
    if (open) return this.#called(open.at, name.text, operand);
    return this.#nesting.deeper({ kind: 'Select', at: dot.at, operand, field: name.text, testOnly: false });
  }

  #indexed(operand: Node, bracket: Token): Node {
    const optional = this.accept('?') !== undefined;
    const index = this.#expression();
    this.expect(']');
    return this.#nesting.deeper(call(bracket.at, optional ? '_[?_]' : '_[_]', operand, index));
  }

  #called(at: number, name: string, target: Node | undefined): Node {
    const args: Node[] = [];
    if (!this.accept(')')) {
      do args.push(this.#expression());
      while (this.accept(','));
      this.expect(')');
    }
    const made = { kind: 'Call' as const, at, name, target, args };
    const node = expandMacro(this.#macros, made) ?? made;
    const parts = target ? [target, ...args] : args;
    return target ? this.#nesting.deeper(node, parts) : this.#nesting.carry(node, parts);
  }

  #primary(): Node {
    const token = this.peek();
    if (token.kind !== 'op' && token.kind !== 'ident' && token.kind !== 'end') return this.#literal();
    if (token.text === '-' || token.text === 'true' || token.text === 'false' || token.text === 'null') {
      return this.#literal();
    }
    if (this.accept('(')) {
      const node = this.#expression();
      this.expect(')');
      return node;
    }
    if (this.accept('[')) return this.#list(token.at);
    if (this.accept('{')) return this.#map(token.at);
    return this.#identifier();
  }

  #literal(): Node {
    const minus = this.accept('-');
    const token = this.peek();
    this.skip();
    return literal(minus?.at ?? token.at, literalOf(token, minus !== undefined));
  }

  #identifier(): Node {
    const dot = this.accept('.');
    const name = this.name('an expression');
    if (reserved.has(name.text)) throw new Refusal(name.at, `${name.text} is a reserved word`);
    const text = dot ? `.${name.text}` : name.text;
    const open = this.accept('(');
    if (open) return this.#called(open.at, text, undefined);
    if (this.peek().text === '{' && this.peek().kind === 'op') {
      throw new Refusal(this.peek().at, `message construction (${text}{...}) is not supported`);
    }
    return ident(name.at, text);
  }

  #list(at: number): ListLiteral {
    const elements: { readonly value: Node; readonly optional: boolean }[] = [];
    this.items(']', () => {
      const optional = this.accept('?') !== undefined;
      elements.push({ value: this.#expression(), optional });
    });
    const made: ListLiteral = { kind: 'List', at, elements };
    return this.#nesting.carry(
      made,
      elements.map((element) => element.value),
    );
  }

  #map(at: number): MapLiteral {
    const entries: { readonly key: Node; readonly value: Node; readonly optional: boolean }[] = [];
    this.items('}', () => {
      const optional = this.accept('?') !== undefined;
      const key = this.#expression();
      this.expect(':');
      entries.push({ key, value: this.#expression(), optional });
    });
    const made: MapLiteral = { kind: 'Map', at, entries };
    return this.#nesting.carry(
      made,
      entries.flatMap((entry) => [entry.key, entry.value]),
    );
  }
}
