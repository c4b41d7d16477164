// The value of a string or bytes literal: quotes removed, line ends normalised, escapes resolved.

import type { Token } from './lex.ts';
import { Refusal } from './refusal.ts';

const simple: Readonly<Record<string, number>> = { a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11 };
const encoder = new TextEncoder();

/** Escapes name code points; a surrogate or a value beyond Unicode is refused. */
export function stringOf(token: Token): string {
  const { body, raw } = unquoted(token.text);
  if (raw || !body.includes('\\')) return body;
  return body.replace(/\\(?:([xXuU])([0-9a-fA-F]+)|([0-3][0-7]{2})|(.))/gsu, (whole, letter, hex, octal, other) => {
    if (other !== undefined) return String.fromCodePoint(simpleEscape(other));
    const digits = width(letter, hex);
    const code = octal === undefined ? Number.parseInt(hex.slice(0, digits), 16) : Number.parseInt(octal, 8);
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
      throw new Refusal(token.at, `${whole} is not a Unicode code point`);
    }
    return String.fromCodePoint(code) + (octal === undefined ? hex.slice(digits) : '');
  });
}

/** Hex and octal escapes name bytes, everything else is UTF-8; `\u` and `\U` are refused. */
export function bytesOf(token: Token): Uint8Array {
  const { body, raw } = unquoted(token.text.slice(1));
  if (raw || !body.includes('\\')) return encoder.encode(body);
  const result: number[] = [];
  for (const part of body.match(/\\[xX][0-9a-fA-F]{2}|\\[0-3][0-7]{2}|\\.|[^\\]+/gsu) ?? []) {
    if (/^\\[uU]/.test(part)) throw new Refusal(token.at, `${part} is not allowed in a bytes literal`);
    result.push(...(part.startsWith('\\') ? [byteOf(part.slice(1))] : encoder.encode(part)));
  }
  return Uint8Array.from(result);
}

function byteOf(escaped: string): number {
  if (/^[xX]/.test(escaped)) return Number.parseInt(escaped.slice(1), 16);
  return /^[0-3]/.test(escaped) ? Number.parseInt(escaped, 8) : simpleEscape(escaped);
}

function unquoted(text: string): { readonly body: string; readonly raw: boolean } {
  const normal = text.replace(/\r\n?/g, '\n');
  const raw = /^[rR]/.test(normal);
  const rest = raw ? normal.slice(1) : normal;
  const quotes = /^("""|''')/.test(rest) && rest.length >= 6 ? 3 : 1;
  return { body: rest.slice(quotes, -quotes), raw };
}

function simpleEscape(character: string): number {
  return simple[character] ?? character.codePointAt(0) ?? 0;
}

function width(letter: string | undefined, hex: string | undefined): number {
  if (letter === 'u') return 4;
  return letter === 'U' ? 8 : Math.min(2, hex?.length ?? 0);
}
