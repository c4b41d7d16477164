// Getters of timestamps, optionally in a time zone, and of durations.
import { dateOf } from '../calendar.ts';
import { type FunctionDeclaration, fn, type Implementation, member } from '../declare.ts';
import { int } from '../int.ts';
import { Duration, Timestamp, wholeUnits } from '../time.ts';
import { duration, intType, string, timestamp } from '../types.ts';
import { CelError, type Int, type Value } from '../values.ts';
import { offsetAt } from '../zone.ts';

type Part = (seconds: number, nanos: number) => number;

function getter(part: Part): Implementation {
  return ({ recall }, time, zone?: Value) => {
    if (!(time instanceof Timestamp)) return new CelError('no such overload');
    const offset = typeof zone === 'string' ? offsetAt(zone, time.seconds, recall) : 0;
    return offset instanceof CelError ? offset : part(time.seconds + offset, time.nanos);
  };
}

function ofDuration(unitNanos: number): Implementation {
  return (_, value) => (value instanceof Duration ? wholeUnits(value, unitNanos) : new CelError('no such overload'));
}

/** Whole milliseconds, in integers upstream, unlike the other units. */
function milliseconds(_: unknown, value: Value): Value {
  const nanos: Int = value instanceof Duration ? value.nanos : 0;
  return int(BigInt(nanos) / 1_000_000n);
}

function time(name: string, part: Part, spent?: Implementation): FunctionDeclaration {
  const run = getter(part);
  return fn(
    name,
    member(`timestamp_${name}`, [timestamp, intType], run),
    member(`timestamp_${name}_with_tz`, [timestamp, string, intType], run),
    ...(spent ? [member(`duration_${name}`, [duration, intType], spent)] : []),
  );
}

export const times: readonly FunctionDeclaration[] = [
  time('getFullYear', (seconds) => dateOf(seconds).year),
  time('getMonth', (seconds) => dateOf(seconds).month - 1),
  time('getDayOfYear', (seconds) => dateOf(seconds).dayOfYear),
  time('getDayOfMonth', (seconds) => dateOf(seconds).day - 1),
  time('getDate', (seconds) => dateOf(seconds).day),
  time('getDayOfWeek', (seconds) => dateOf(seconds).weekday),
  time('getHours', (seconds) => Math.floor(dateOf(seconds).secondOfDay / 3600), ofDuration(3_600_000_000_000)),
  time('getMinutes', (seconds) => Math.floor(dateOf(seconds).secondOfDay / 60) % 60, ofDuration(60_000_000_000)),
  time('getSeconds', (seconds) => dateOf(seconds).secondOfDay % 60, ofDuration(1_000_000_000)),
  time('getMilliseconds', (_, nanos) => Math.floor(nanos / 1_000_000), milliseconds),
];
