// Doubles as `%f` and `%e` print them upstream: through Go's message printer in American English.
import { fixedDouble, significantDigits } from '../doubleText.ts';

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';

function special(value: number): string | undefined {
  if (Number.isNaN(value)) return 'NaN';
  if (Number.isFinite(value)) return undefined;
  return value > 0 ? '∞' : '-∞';
}

function sign(value: number): string {
  return value < 0 || Object.is(value, -0) ? '-' : '';
}

/** Thousands are grouped with commas. */
export function localFixed(value: number, places: number): string {
  const named = special(value);
  if (named !== undefined) return named;
  const [whole = '', fraction] = fixedDouble(value, places).split('.');
  const grouped = whole.replace(/\B(?=(?:[0-9]{3})+$)/g, ',');
  return sign(value) + (fraction === undefined ? grouped : `${grouped}.${fraction}`);
}

/** `1.234568×10⁰⁶`. The precision is a minimum width upstream; six digits always follow the point. */
export function localScientific(value: number, width: number): string {
  const named = special(value);
  if (named !== undefined) return named.padStart(width);
  const { digits, exponent } = significantDigits(value, 7);
  const power = String(Math.abs(exponent))
    .padStart(2, '0')
    .replace(/[0-9]/g, (digit) => superscripts[Number(digit)] ?? '');
  return `${sign(value)}${digits[0]}.${digits.slice(1)}×10${exponent < 0 ? '⁻' : ''}${power}`.padStart(width);
}
