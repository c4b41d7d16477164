// `string.format` of cel-go's strings version 2: its clauses, applied to values at run time.
import type { Meter } from '../meter.ts';
import { CelBytes, CelDouble, CelError, CelList, CelUint, isInt, typeName, type Value } from '../values.ts';
import { type Clause, clausesOf } from './formatClauses.ts';
import { localFixed, localScientific } from './formatNumbers.ts';
import { plainText } from './formatText.ts';

/** Maximum precision; above it upstream allocates without limit, and this evaluator refuses. */
const maxPrecision = 1000;
const encoder = new TextEncoder();

export function formatted(meter: Meter, format: Value, list: Value): Value {
  if (typeof format !== 'string' || !(list instanceof CelList)) return new CelError('no such overload: format');
  const parts = clausesOf(format);
  if (typeof parts === 'string') return new CelError(parts);
  let result = '';
  let next = 0;
  for (const part of parts) {
    if (typeof part !== 'string' && next >= list.size) return new CelError(`index ${next} out of range`);
    const text = typeof part === 'string' ? part : apply(meter, part, list.at(next++));
    if (text instanceof CelError) return new CelError(`error during formatting: ${text.message}`);
    result += text;
    meter.work(result.length / 16);
  }
  return result;
}

function apply(meter: Meter, clause: Clause, value: Value): string | CelError {
  if ((clause.precision ?? 0) > maxPrecision) return new CelError(`precision ${clause.precision} is too large`);
  switch (clause.verb) {
    case 's':
      return plainText(meter, value);
    case 'd':
      return integer(value, 10) ?? complaint('decimal clause can only be used on integers', value);
    case 'f':
    case 'e':
      return fraction(clause, value);
    case 'b':
      return typeof value === 'boolean'
        ? String(Number(value))
        : (integer(value, 2) ?? complaint('only integers and bools can be formatted as binary', value));
    case 'o':
      return integer(value, 8) ?? complaint('octal clause can only be used on integers', value);
    case 'x':
      return hex(value);
    case 'X': {
      const text = hex(value);
      return typeof text === 'string' ? text.toUpperCase() : text;
    }
  }
}

export function complaint(rule: string, value: Value): CelError {
  return new CelError(`${rule}, was given ${typeName(value)}`);
}

function integer(value: Value, base: number): string | undefined {
  if (isInt(value)) return value.toString(base);
  return value instanceof CelUint ? value.value.toString(base) : undefined;
}

function hex(value: Value): string | CelError {
  const bytes = typeof value === 'string' ? encoder.encode(value) : value instanceof CelBytes ? value.data : undefined;
  if (bytes) return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return integer(value, 16) ?? complaint('only integers, byte buffers, and strings can be formatted as hex', value);
}

const namedNumbers = new Map([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
]);

function fraction(clause: Clause, value: Value): string | CelError {
  const number =
    value instanceof CelDouble ? value.value : typeof value === 'string' ? namedNumbers.get(value) : undefined;
  if (number === undefined) {
    return complaint(`${clause.verb === 'f' ? 'fixed-point' : 'scientific'} clause can only be used on doubles`, value);
  }
  return clause.verb === 'f'
    ? localFixed(number, clause.precision ?? 6)
    : localScientific(number, clause.precision ?? 6);
}
