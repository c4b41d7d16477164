// The value of a literal token; numbers outside int64, uint64 or double are refused.
import { int, maxInt, maxUint, minInt } from './int.ts';
import type { Token } from './lex.ts';
import { Refusal } from './refusal.ts';
import { bytesOf, stringOf } from './text.ts';
import { CelBytes, CelDouble, CelUint, type Value } from './values.ts';

export function literalOf(token: Token, negative: boolean): Value {
  switch (token.kind) {
    case 'int':
      return intOf(token, negative);
    case 'double':
      return doubleOf(token, negative);
    case 'uint':
      return uintOf(token);
    case 'string':
      return stringOf(token);
    case 'bytes':
      return new CelBytes(bytesOf(token));
    default:
      return wordOf(token);
  }
}

function intOf(token: Token, negative: boolean): Value {
  const value = negative ? -BigInt(token.text) : BigInt(token.text);
  if (value > maxInt || value < minInt) throw new Refusal(token.at, `${token.text} does not fit a 64-bit int`);
  return int(value);
}

function uintOf(token: Token): Value {
  const value = BigInt(token.text.slice(0, -1));
  if (value > maxUint) throw new Refusal(token.at, `${token.text} does not fit a 64-bit uint`);
  return new CelUint(value);
}

function doubleOf(token: Token, negative: boolean): Value {
  const value = Number(token.text);
  if (!Number.isFinite(value)) throw new Refusal(token.at, `${token.text} does not fit a double`);
  return new CelDouble(negative ? -value : value);
}

function wordOf(token: Token): Value {
  if (token.text === 'true') return true;
  if (token.text === 'false') return false;
  if (token.text === 'null') return null;
  throw new Refusal(token.at, `expected a number, found ${token.text.slice(0, 40)}`);
}
