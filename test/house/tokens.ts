// The tokens of a source file, by TypeScript's own scanner, so that comments and texts never look like code.
import { SyntaxKind } from 'typescript/unstable/ast';
import { createScanner, type Scanner } from 'typescript/unstable/ast/scanner';

export interface Token {
  readonly kind: SyntaxKind;
  /** As written; of a text its content. */
  readonly text: string;
  readonly line: number;
}

const operandEnds = new Set([
  SyntaxKind.Identifier,
  SyntaxKind.NumericLiteral,
  SyntaxKind.StringLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateTail,
  SyntaxKind.CloseParenToken,
  SyntaxKind.CloseBracketToken,
  SyntaxKind.CloseBraceToken,
  SyntaxKind.ThisKeyword,
  SyntaxKind.PlusPlusToken,
]);

export function tokensOf(source: string): readonly Token[] {
  const scanner = createScanner(true);
  scanner.setText(source);
  const tokens: Token[] = [];
  const open: SyntaxKind[] = [];
  let line = 1;
  let seen = 0;
  for (;;) {
    const kind = scanNext(scanner, { open, previous: tokens.at(-1)?.kind });
    if (kind === SyntaxKind.EndOfFile) return tokens;
    const start = scanner.getTokenStart();
    line += source.slice(seen, start).split('\n').length - 1;
    seen = start;
    const isText = kind === SyntaxKind.StringLiteral || kind === SyntaxKind.NoSubstitutionTemplateLiteral;
    tokens.push({ kind, line, text: isText ? scanner.getTokenValue() : scanner.getTokenText() });
  }
}

/**
 * Without a parser two tokens are ambiguous: `/` after an operand divides and else begins a regular expression, and `}`
 * may continue with a template. `open` holds what each open brace was.
 */
function scanNext(scanner: Scanner, by: { open: SyntaxKind[]; previous: SyntaxKind | undefined }): SyntaxKind {
  const kind = scanner.scan();
  switch (kind) {
    case SyntaxKind.SlashToken:
      return by.previous !== undefined && operandEnds.has(by.previous) ? kind : scanner.reScanSlashToken();
    case SyntaxKind.OpenBraceToken:
    case SyntaxKind.TemplateHead:
      by.open.push(kind);
      return kind;
    case SyntaxKind.CloseBraceToken: {
      const closed = by.open.pop() === SyntaxKind.TemplateHead ? scanner.reScanTemplateToken(false) : kind;
      if (closed === SyntaxKind.TemplateMiddle) by.open.push(SyntaxKind.TemplateHead);
      return closed;
    }
    default:
      return kind;
  }
}

/** Where code says `words` one after the other, `['Date', '.', 'now']` for one; texts and comments do not count. */
export function placesOf(tokens: readonly Token[], words: readonly string[]): readonly number[] {
  return tokens.flatMap((token, i) =>
    words.every((word, j) => tokens[i + j]?.text === word && tokens[i + j]?.kind !== SyntaxKind.StringLiteral)
      ? [token.line]
      : [],
  );
}
