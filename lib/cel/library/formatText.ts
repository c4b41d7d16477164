// Values as `%s` prints them: strings bare, but quoted inside lists and maps.
import { fixedDouble, shortestDouble } from '../doubleText.ts';
import type { Meter } from '../meter.ts';
import { Duration, Timestamp } from '../time.ts';
import { durationText, timestampText } from '../timeText.ts';
import {
  CelBytes,
  CelDouble,
  CelError,
  CelList,
  CelMap,
  CelType,
  CelUint,
  isError,
  isInt,
  typeName,
  type Value,
} from '../values.ts';
import { goQuoted } from './goQuote.ts';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** An error for a type without a text form. */
export function plainText(meter: Meter, value: Value): string | CelError {
  if (value instanceof CelDouble) return shortestDouble(value.value);
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof Duration) return durationText(value);
  if (value instanceof CelList) return listText(meter, value);
  if (value instanceof CelMap) return mapText(meter, value);
  return scalarText(value);
}

function scalarText(value: Value): string | CelError {
  if (typeof value === 'string') return value;
  if (value === null || typeof value === 'boolean' || isInt(value)) return String(value);
  if (value instanceof CelUint) return value.value.toString();
  if (value instanceof CelType) return value.name;
  if (value instanceof CelBytes) return bytesText(value);
  return new CelError(
    `string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given ${typeName(value)}`,
  );
}

function bytesText(value: CelBytes): string | CelError {
  try {
    return decoder.decode(value.data);
  } catch {
    return new CelError('invalid UTF-8 in bytes, cannot convert to string');
  }
}

/** Inside a list or a map: strings and bytes quoted, times wrapped in their constructors, six digits for doubles. */
function memberText(meter: Meter, value: Value): string | CelError {
  meter.work(1);
  if (value instanceof CelDouble) return doubleText(value.value);
  if (value instanceof Timestamp) return `timestamp("${timestampText(value)}")`;
  if (value instanceof Duration) return `duration("${durationText(value)}")`;
  const text = plainText(meter, value);
  if (isError(text as Value) || typeof text !== 'string') return text;
  meter.work(text.length / 4);
  if (typeof value === 'string') return goQuoted(text);
  return value instanceof CelBytes ? `b${goQuoted(text)}` : text;
}

function doubleText(value: number): string {
  if (!Number.isFinite(value)) return `"${shortestDouble(value)}"`;
  return (value < 0 || Object.is(value, -0) ? '-' : '') + fixedDouble(value, 6);
}

function listText(meter: Meter, list: CelList): string | CelError {
  const parts: string[] = [];
  for (const item of list) {
    const text = memberText(meter, item);
    if (typeof text !== 'string') return text;
    parts.push(text);
  }
  return `[${parts.join(', ')}]`;
}

/** Entries are sorted by the text of their key. */
function mapText(meter: Meter, map: CelMap): string | CelError {
  const entries: (readonly [string, string])[] = [];
  for (const key of map.keys()) {
    const keyText = keyTextOf(meter, key);
    const valueText = memberText(meter, map.get(key) ?? null);
    if (typeof keyText !== 'string') return keyText;
    if (typeof valueText !== 'string') return valueText;
    entries.push([keyText, valueText]);
  }
  entries.sort(([x], [y]) => (x < y ? -1 : x > y ? 1 : 0));
  return `{${entries.map(([key, value]) => `${key}:${value}`).join(', ')}}`;
}

function keyTextOf(meter: Meter, key: Value): string | CelError {
  const allowed = typeof key === 'string' || typeof key === 'boolean' || isInt(key) || key instanceof CelUint;
  return allowed ? memberText(meter, key) : new CelError(`no formatting function for map key of type ${typeName(key)}`);
}
