// Parses the text of a Kubernetes quantity, and selects the internal form as upstream's parser does.
import { maxInt, parseInt64 } from './int.ts';
import { fitsInt64, Quantity, shiftedBy, wrappedScale } from './quantity.ts';

const decimal: Readonly<Record<string, number>> = {
  '': 0,
  n: -9,
  u: -6,
  m: -3,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const binary: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };

interface Suffix {
  readonly base: 10 | 2;
  readonly exponent: number;
}

interface Parts {
  readonly negative: boolean;
  /** Digits before the point without leading zeros, "0" if there are none. */
  readonly whole: string;
  readonly fraction: string;
  /** Sign, digits and point as written. */
  readonly written: string;
  readonly suffix: Suffix;
}

/** Undefined if the text is not a quantity. */
export function parseQuantity(text: string): Quantity | undefined {
  const parts = partsOf(text);
  if (!parts) return undefined;
  return precisionOf(parts) >= 0 ? (smallForm(parts) ?? bigForm(parts)) : bigForm(parts);
}

function partsOf(text: string): Parts | undefined {
  const found = /^([+-]?)(0*)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[+-]?[0-9]*)$/.exec(text);
  if (!found || text === '') return undefined;
  const [, sign = '', zeros = '', digits = '', fraction = '', suffixText = ''] = found;
  const suffix = suffixOf(suffixText);
  if (!suffix) return undefined;
  const point = text.includes('.') ? `.${fraction}` : '';
  return {
    negative: sign === '-',
    whole: digits === '' ? '0' : digits,
    fraction,
    written: sign + zeros + digits + point,
    suffix,
  };
}

function suffixOf(text: string): Suffix | undefined {
  const ten = Object.hasOwn(decimal, text) ? decimal[text] : undefined;
  if (ten !== undefined) return { base: 10, exponent: ten };
  const two = Object.hasOwn(binary, text) ? binary[text] : undefined;
  if (two !== undefined) return { base: 2, exponent: two };
  if (!/^[eE]./.test(text)) return undefined;
  const exponent = parseInt64(text.slice(1));
  return exponent === undefined ? undefined : { base: 10, exponent: wrappedScale(BigInt(exponent)) };
}

/** Spare digits before the int64 form could overflow; negative selects the big form. */
function precisionOf({ whole, fraction, suffix }: Parts): number {
  if (suffix.base === 10) return 18 - whole.length - fraction.length;
  return fraction === '' ? 15 - whole.length - Math.trunc((suffix.exponent * 3) / 10) - 1 : -1;
}

function smallForm({ negative, whole, fraction, suffix }: Parts): Quantity | undefined {
  const scale = (suffix.base === 10 ? suffix.exponent : 0) - fraction.length;
  if (scale < -9) return undefined;
  const value = BigInt(whole + fraction) * (suffix.base === 2 ? 2n ** BigInt(suffix.exponent) : 1n);
  if (!fitsInt64(value)) return undefined;
  return new Quantity({ unscaled: negative ? -value : value, scale, big: false });
}

/** Fractions of a nano unit are rounded away from zero; binary amounts are limited to the largest int64. */
function bigForm({ written, suffix }: Parts): Quantity | undefined {
  const digits = written.replace('.', '').replace('+', '');
  if (!/[0-9]/.test(digits)) return undefined;
  const negative = digits.startsWith('-');
  const places = written.includes('.') ? written.length - written.indexOf('.') - 1 : 0;
  const unscaled = BigInt(digits.replace('-', '')) * (suffix.base === 2 ? 2n ** BigInt(suffix.exponent) : 1n);
  const scale = (suffix.base === 10 ? suffix.exponent : 0) - places;
  if (unscaled === 0n) return new Quantity({ unscaled, scale, big: true });
  const nanos = inNanos(unscaled, scale);
  const capped = suffix.base === 2 && nanos > maxInt * 1_000_000_000n;
  const amount = capped ? { unscaled: maxInt, scale: 0 } : { unscaled: nanos, scale: -9 };
  return new Quantity({ ...amount, unscaled: negative ? -amount.unscaled : amount.unscaled, big: true });
}

function inNanos(unscaled: bigint, scale: number): bigint {
  if (scale >= -9) return shiftedBy(unscaled, scale + 9);
  const dropped = -9 - scale;
  if (dropped > unscaled.toString().length + 1) return 1n;
  const divisor = 10n ** BigInt(dropped);
  return (unscaled + divisor - 1n) / divisor;
}
