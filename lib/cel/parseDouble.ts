// Text to double as Go's `strconv.ParseFloat`: decimal, hexadecimal, infinities, underscores between digits.
import { CelDouble } from './values.ts';

/** Undefined for anything else, and for numbers beyond the range of a double. */
export function doubleOf(text: string): CelDouble | undefined {
  const [, sign = '', body = ''] = /^([+-]?)(.*)$/su.exec(text) ?? [];
  const size = magnitude(body, sign);
  return size === undefined ? undefined : new CelDouble(sign === '-' ? -size : size);
}

function magnitude(text: string, sign: string): number | undefined {
  if (/^(?:inf|infinity)$/i.test(text)) return Number.POSITIVE_INFINITY;
  if (/^nan$/i.test(text)) return sign === '' ? Number.NaN : undefined;
  const value = /^0x/i.test(text) ? hexadecimal(text.slice(2)) : decimal(text);
  return value === undefined || Number.isFinite(value) ? value : undefined;
}

function decimal(text: string): number | undefined {
  const plain = text.replace(/(?<=[0-9])_(?=[0-9])/g, '');
  return /^(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/.test(plain) ? Number(plain) : undefined;
}

/** Digits and a mandatory binary exponent; more than 53 bits are refused instead of rounded twice. */
function hexadecimal(text: string): number | undefined {
  const plain = text.replace(/^_/, '').replace(/(?<=[0-9a-fA-F])_(?=[0-9a-fA-F])/g, '');
  const [, whole = '', fraction = '', exponent = ''] = /^([0-9a-f]*)\.?([0-9a-f]*)p([+-]?[0-9]+)$/i.exec(plain) ?? [];
  const digits = whole + fraction;
  if (digits === '' || exponent === '') return undefined;
  const mantissa = Number(BigInt(`0x${digits}`));
  if (!Number.isSafeInteger(mantissa)) return undefined;
  const power = Number(exponent) - fraction.length * 4;
  return mantissa * 2 ** Math.trunc(power / 2) * 2 ** (power - Math.trunc(power / 2));
}
