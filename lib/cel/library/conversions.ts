// Type conversions: `int(x)`, `string(x)`, `timestamp(x)` and others. Each one fails instead of losing range.
import { ofArgument } from '../costs.ts';
import { type FunctionDeclaration, fn, global, type Overload, oneFor } from '../declare.ts';
import { shortestDouble } from '../doubleText.ts';
import { checkedUint, int, intOfDouble, parseInt64, parseUint64, uintOfDouble } from '../int.ts';
import { cidrText, ipText } from '../ip.ts';
import { doubleOf } from '../parseDouble.ts';
import { timestampAt } from '../time.ts';
import { durationText, parseDuration, parseTimestamp, timestampText } from '../timeText.ts';
import {
  bool,
  bytes,
  cidr,
  double,
  duration,
  dyn,
  intType,
  ip,
  param,
  string,
  type Type,
  timestamp,
  typeOf,
  uint,
} from '../types.ts';
import { CelBytes, CelDouble, CelError, CelType, CelUint, type Int, isInt, typeName, type Value } from '../values.ts';

const a = param('A');
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function bad(from: string, to: string): CelError {
  return new CelError(`type conversion error from '${from}' to '${to}'`);
}

/** One overload of a conversion; the guard has checked the argument's type, so `convert` only narrows it. */
function from(type: Type, to: Type, convert: (value: never) => Value): Overload {
  return global(`${type.name}_to_${to.name}`, [type, to], (_, value) => convert(value as never));
}

const identity = (value: Value) => value;
const orBad = (value: Value | undefined, to: string) => value ?? bad('string', to);

function boolOf(text: string): Value {
  if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(text)) return true;
  return ['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(text) ? false : bad('string', 'bool');
}

function uintOf(text: string): Value {
  const value = parseUint64(text);
  return value === undefined ? bad('string', 'uint') : new CelUint(value);
}

function utf8(value: CelBytes): Value {
  try {
    return decoder.decode(value.data);
  } catch {
    return new CelError('invalid UTF-8 in bytes, cannot convert to string');
  }
}

function wholeOf(value: CelUint): Value {
  return value.value > 2n ** 63n - 1n ? new CelError('integer overflow') : int(value.value);
}

export const conversions: readonly FunctionDeclaration[] = [
  oneFor('type', (_, value) => new CelType(typeName(value)), global('type', [a, typeOf(a)])),
  oneFor('dyn', (_, value) => value, global('to_dyn', [a, dyn])),
  fn('bool', from(bool, bool, identity), from(string, bool, boolOf)),
  fn('bytes', from(bytes, bytes, identity), {
    ...from(string, bytes, (text: string) => new CelBytes(encoder.encode(text))),
    cost: ofArgument(0),
  }),
  fn(
    'double',
    from(double, double, identity),
    from(intType, double, (value: Int) => new CelDouble(Number(value))),
    from(string, double, (text: string) => orBad(doubleOf(text), 'double')),
    from(uint, double, (value: CelUint) => new CelDouble(Number(value.value))),
  ),
  fn('duration', from(duration, duration, identity), from(string, duration, parseDuration)),
  fn(
    'int',
    from(intType, intType, identity),
    from(double, intType, (value: CelDouble) => intOfDouble(value.value)),
    from(duration, intType, (value: { readonly nanos: Int }) => value.nanos),
    from(string, intType, (text: string) => orBad(parseInt64(text), 'int')),
    from(timestamp, intType, (value: { readonly seconds: number }) => value.seconds),
    from(uint, intType, wholeOf),
  ),
  fn(
    'string',
    from(string, string, identity),
    from(bool, string, String),
    { ...from(bytes, string, utf8), cost: ofArgument(0) },
    from(double, string, (value: CelDouble) => shortestDouble(value.value)),
    from(duration, string, durationText),
    from(intType, string, String),
    from(timestamp, string, timestampText),
    from(uint, string, (value: CelUint) => `${value.value}`),
    from(ip, string, ipText),
    from(cidr, string, cidrText),
  ),
  fn(
    'timestamp',
    from(timestamp, timestamp, identity),
    from(intType, timestamp, (seconds: Int) => timestampAt(seconds)),
    from(string, timestamp, parseTimestamp),
  ),
  fn(
    'uint',
    from(uint, uint, identity),
    from(double, uint, (value: CelDouble) => uintOfDouble(value.value)),
    from(intType, uint, (value: Int) => (isInt(value) ? checkedUint(BigInt(value)) : value)),
    from(string, uint, uintOf),
  ),
];

/** Functions that upstream evaluates at compile time if their argument is constant. */
export const foldedConversions = new Set(conversions.map((conversion) => conversion.name));
