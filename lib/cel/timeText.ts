// Timestamps and durations as text: RFC 3339 and Go's duration notation, as lenient as Go's own parsers.
import { dateOf, dayNumber } from './calendar.ts';
import { plainDouble } from './doubleText.ts';
import { checkedInt } from './int.ts';
import { Duration, secondsOf, type Timestamp, timestampAt } from './time.ts';
import { CelError, isError } from './values.ts';

const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{1,2}):(\d{2}):(\d{2})(?:[.,](\d+))?(?:Z|([+-])(\d{2}):(\d{2}))$/;

const badTimestamp = new CelError("type conversion error from 'string' to 'google.protobuf.Timestamp'");
const badDuration = new CelError("type conversion error from 'string' to 'google.protobuf.Duration'");

export function parseTimestamp(text: string): Timestamp | CelError {
  const found = rfc3339.exec(text);
  if (!found) return badTimestamp;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found.slice(1, 7).map(Number);
  const date = dayNumber(year, month, day);
  const offsetHours = Number(found[9] ?? 0);
  const offsetMinutes = Number(found[10] ?? 0);
  if (date === undefined || hour > 23 || minute > 59 || second > 59) return badTimestamp;
  if (offsetHours > 24 || offsetMinutes > 60) return badTimestamp;
  const offset = (offsetHours * 60 + offsetMinutes) * (found[8] === '-' ? -60 : 60);
  const nanos = Number((found[7] ?? '').slice(0, 9).padEnd(9, '0'));
  return timestampAt(date * 86_400 + hour * 3600 + minute * 60 + second - offset, nanos, offset || 0);
}

export function timestampText(time: Timestamp): string {
  const { year, month, day, secondOfDay } = dateOf(time.seconds + time.offsetSeconds);
  const clock = [Math.floor(secondOfDay / 3600), Math.floor(secondOfDay / 60) % 60, secondOfDay % 60];
  const fraction = time.nanos === 0 ? '' : `.${pad(time.nanos, 9)}`.replace(/0+$/, '');
  const date = `${year < 0 ? '-' : ''}${pad(Math.abs(year), 4)}-${pad(month, 2)}-${pad(day, 2)}`;
  return `${date}T${clock.map((part) => pad(part, 2)).join(':')}${fraction}${zoneText(time.offsetSeconds)}`;
}

function zoneText(offset: number): string {
  if (offset === 0) return 'Z';
  const minutes = Math.floor(Math.abs(offset) / 60);
  return `${offset < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60), 2)}:${pad(minutes % 60, 2)}`;
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, '0');
}

const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  μs: 1000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const limit = 2n ** 63n;

/** `1h30m`, `-1.5s`, `300ms`, `0`; every number needs a unit. */
export function parseDuration(text: string): Duration | CelError {
  const [, sign = '', body = ''] = /^([+-]?)(.*)$/su.exec(text) ?? [];
  if (body === '0') return new Duration(0);
  if (!/^(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/u.test(body)) return badDuration;
  let total = 0n;
  for (const [, whole = '', fraction = '', unit = ''] of body.matchAll(/(\d*)\.?(\d*)([a-zµμ]+)/gu)) {
    const part = nanosOf(whole, fraction, units[unit] ?? 0n);
    if (part === undefined) return badDuration;
    total += part;
    if (total > limit) return badDuration;
  }
  const nanos = checkedInt(sign === '-' ? -total : total);
  return isError(nanos) ? badDuration : new Duration(nanos);
}

/** The fraction is converted to a double, as in Go. */
function nanosOf(whole: string, fraction: string, unit: bigint): bigint | undefined {
  const units = BigInt(whole || '0');
  if (units > limit / unit) return undefined;
  const digits = significant(fraction);
  const scale = 10 ** digits.length;
  const parts = digits === '' ? 0n : BigInt(Math.trunc(Number(digits) * (Number(unit) / scale)));
  return units * unit + parts;
}

/** Go stops reading a fraction where it would no longer fit 63 bits. */
function significant(fraction: string): string {
  let length = Math.min(fraction.length, 19);
  if (length === 19 && BigInt(fraction.slice(0, 19)) > limit) length = 18;
  return fraction.slice(0, length);
}

export function durationText(duration: Duration): string {
  return `${plainDouble(secondsOf(duration))}s`;
}
