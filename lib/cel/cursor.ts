// A position in the tokens of a selector, with the error messages for unexpected tokens.
import { keywords } from './grammar.ts';
import type { Token } from './lex.ts';
import { Refusal } from './refusal.ts';

export class Cursor {
  readonly #tokens: readonly Token[];
  #next = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  skip(): void {
    this.#next++;
  }

  /** Whether the next token is a number, which a minus belongs to. */
  isBeforeNumber(): boolean {
    const kind = this.#tokens[this.#next + 1]?.kind;
    return kind === 'int' || kind === 'double';
  }

  /** A trailing comma is allowed, and so is a lone comma, as in CEL's grammar. */
  items(close: string, item: () => void): void {
    if (this.accept(',')) return void this.expect(close);
    while (!this.accept(close)) {
      item();
      if (this.accept(',')) continue;
      this.expect(close);
      return;
    }
  }

  name(wanted: string): Token {
    const token = this.peek();
    if (token.kind !== 'ident' || keywords.has(token.text)) throw this.unexpected(wanted);
    this.#next++;
    return token;
  }

  peek(): Token {
    const token = this.#tokens[this.#next];
    if (token === undefined) throw new Refusal(0, 'the expression is empty');
    return token;
  }

  accept(text: string): Token | undefined {
    const token = this.peek();
    if (token.kind !== 'op' || token.text !== text) return undefined;
    this.#next++;
    return token;
  }

  expect(text: string): void {
    if (!this.accept(text)) throw this.unexpected(JSON.stringify(text));
  }

  unexpected(wanted: string): Refusal {
    const token = this.peek();
    return new Refusal(token.at, `expected ${wanted}, found ${token.text.slice(0, 40)}`);
  }
}
