// Doubles as text in Go's notations, and decimal digits of a double to any precision, rounded half to even.

/** Go's `%g`: shortest digits, exponent form below 1e-4 and from 1e+06 up. */
export function shortestDouble(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  const { digits, exponent } = shortest(value);
  return sign + (exponent < -4 || exponent >= 6 ? exponential(digits, exponent) : positional(digits, exponent));
}

/** Go's `%f` with the fewest digits that read back as the same double. */
export function plainDouble(value: number): string {
  if (!Number.isFinite(value)) return shortestDouble(value);
  const { digits, exponent } = shortest(value);
  return (value < 0 || Object.is(value, -0) ? '-' : '') + positional(digits, exponent);
}

interface Digits {
  /** Significant decimal digits without trailing zeros. */
  readonly digits: string;
  /** Power of ten of the first digit. */
  readonly exponent: number;
}

function shortest(value: number): Digits {
  const [mantissa = '0', exponent = '0'] = Math.abs(value).toExponential().split('e');
  return { digits: mantissa.replace('.', ''), exponent: Number(exponent) };
}

function exponential(digits: string, exponent: number): string {
  const mantissa = digits.length > 1 ? `${digits[0]}.${digits.slice(1)}` : digits;
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

function positional(digits: string, exponent: number): string {
  if (exponent < 0) return `0.${'0'.repeat(-exponent - 1)}${digits}`;
  if (digits.length <= exponent + 1) return digits.padEnd(exponent + 1, '0');
  return `${digits.slice(0, exponent + 1)}.${digits.slice(exponent + 1)}`;
}

/** The absolute value of a finite double times 10^power, as a whole number, rounded half to even. */
export function scaled(value: number, power: number): bigint {
  const { mantissa, exponent } = binary(Math.abs(value));
  let numerator = mantissa;
  let denominator = 1n;
  if (exponent >= 0) numerator <<= BigInt(exponent);
  else denominator <<= BigInt(-exponent);
  if (power >= 0) numerator *= 10n ** BigInt(power);
  else denominator *= 10n ** BigInt(-power);
  const quotient = numerator / denominator;
  const twice = (numerator % denominator) * 2n;
  const up = twice > denominator || (twice === denominator && quotient % 2n === 1n);
  return up ? quotient + 1n : quotient;
}

function binary(value: number): { readonly mantissa: bigint; readonly exponent: number } {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  const raw = bits.getBigUint64(0);
  const power = Number((raw >> 52n) & 0x7ffn);
  const fraction = raw & (2n ** 52n - 1n);
  return power === 0
    ? { mantissa: fraction, exponent: -1074 }
    : { mantissa: fraction | (2n ** 52n), exponent: power - 1075 };
}

/** Exactly `places` digits after the point, without grouping. */
export function fixedDouble(value: number, places: number): string {
  const digits = scaled(value, places)
    .toString()
    .padStart(places + 1, '0');
  const whole = digits.slice(0, digits.length - places);
  return places === 0 ? whole : `${whole}.${digits.slice(-places)}`;
}

/** `count` significant digits and the power of ten of the first one. */
export function significantDigits(value: number, count: number): Digits {
  if (value === 0) return { digits: '0'.repeat(count), exponent: 0 };
  let exponent = shortest(value).exponent;
  let digits = scaled(value, count - 1 - exponent).toString();
  if (digits.length > count) {
    exponent++;
    digits = scaled(value, count - 1 - exponent).toString();
  }
  return { digits, exponent };
}
