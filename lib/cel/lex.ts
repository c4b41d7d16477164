// Splits a selector into tokens by CEL's lexical rules; the longest match wins.
import { Refusal } from './refusal.ts';

export type TokenKind = 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'ident' | 'op' | 'end';

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly at: number;
}

const escapes = String.raw`\\(?:[abfnrtv"'\\?\x60]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})`;
const quoted = [
  String.raw`"""(?:${escapes}|[^\\])*?"""`,
  String.raw`'''(?:${escapes}|[^\\])*?'''`,
  String.raw`"(?:${escapes}|[^\\"\n\r])*"`,
  String.raw`'(?:${escapes}|[^\\'\n\r])*'`,
  `[rR]"""[^]*?"""`,
  `[rR]'''[^]*?'''`,
  String.raw`[rR]"[^"\n\r]*"`,
  String.raw`[rR]'[^'\n\r]*'`,
].join('|');

/** Order matters: a string prefix is tried before a name, a float before an int, a longer operator before a shorter. */
const rules: readonly (readonly [TokenKind | 'skip', RegExp])[] = [
  ['skip', /(?:[\t \r\n\f]+|\/\/[^\n]*)+/y],
  ['bytes', new RegExp(`[bB](?:${quoted})`, 'yu')],
  ['string', new RegExp(quoted, 'yu')],
  ['double', /[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?/y],
  ['uint', /(?:0x[0-9a-fA-F]+|[0-9]+)[uU]/y],
  ['int', /0x[0-9a-fA-F]+|[0-9]+/y],
  ['ident', /[A-Za-z_][A-Za-z0-9_]*/y],
  ['op', /==|!=|<=|>=|&&|\|\||[<>[\]{}().,\-!?:+*/%]/y],
];

export function tokens(text: string): readonly Token[] {
  const result: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const [kind, found] = longestAt(text, at);
    if (kind !== 'skip') result.push({ kind, text: found, at });
    at += found.length;
  }
  result.push({ kind: 'end', text: 'end of expression', at });
  return result;
}

function longestAt(text: string, at: number): readonly [TokenKind | 'skip', string] {
  for (const [kind, rule] of rules) {
    rule.lastIndex = at;
    const found = rule.exec(text)?.[0];
    if (found !== undefined) return [kind, found];
  }
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  if (character === '"' || character === "'") throw new Refusal(at, 'string literal is not closed or has a bad escape');
  throw new Refusal(at, `character ${JSON.stringify(character)} is not part of the language`);
}
