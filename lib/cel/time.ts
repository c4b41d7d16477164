// Timestamps and durations to the nanosecond, within CEL's range of years 1 to 9999.

import { order } from './compare.ts';
import { addInt, checkedInt, int, negateInt, subtractInt } from './int.ts';
import { CelError, type Int, isError, Opaque, type Value } from './values.ts';

const billion = 1_000_000_000;
const nanosPerSecond = 1_000_000_000n;
/** 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z in seconds since 1970. */
const firstSecond = -62_135_596_800;
const lastSecond = 253_402_300_799;
const outOfRange = new CelError('timestamp overflow');

/** A signed count of nanoseconds that fits int64. */
export class Duration extends Opaque {
  override readonly kind = 'google.protobuf.Duration';
  readonly nanos: Int;

  constructor(nanos: Int) {
    super();
    this.nanos = nanos;
  }

  override equals(other: Value): boolean {
    return other instanceof Duration && other.nanos === this.nanos;
  }

  override compare(other: Value): -1 | 0 | 1 | undefined {
    if (!(other instanceof Duration)) return undefined;
    return order(this.nanos, other.nanos);
  }
}

/** An instant with its original UTC offset, which only the string form shows. */
export class Timestamp extends Opaque {
  override readonly kind = 'google.protobuf.Timestamp';
  /** Whole seconds since 1970, rounded down. */
  readonly seconds: number;
  /** 0 to 999,999,999. */
  readonly nanos: number;
  readonly offsetSeconds: number;

  constructor(seconds: number, nanos: number, offsetSeconds: number) {
    super();
    this.seconds = seconds;
    this.nanos = nanos;
    this.offsetSeconds = offsetSeconds;
  }

  override equals(other: Value): boolean {
    return this.compare(other) === 0;
  }

  override compare(other: Value): -1 | 0 | 1 | undefined {
    if (!(other instanceof Timestamp)) return undefined;
    return order(this.seconds, other.seconds) || order(this.nanos, other.nanos);
  }
}

export function timestampAt(seconds: Int, nanos = 0, offsetSeconds = 0): Timestamp | CelError {
  if (seconds < firstSecond || seconds > lastSecond) return outOfRange;
  return new Timestamp(Number(seconds), nanos, offsetSeconds);
}

export function addDurations(a: Duration, b: Duration): Duration | CelError {
  return durationOf(addInt(a.nanos, b.nanos));
}

export function subtractDurations(a: Duration, b: Duration): Duration | CelError {
  return durationOf(subtractInt(a.nanos, b.nanos));
}

export function shifted(time: Timestamp, by: Duration): Timestamp | CelError {
  const total = BigInt(time.nanos) + BigInt(by.nanos);
  const nanos = Number(((total % nanosPerSecond) + nanosPerSecond) % nanosPerSecond);
  const seconds = time.seconds + Number((total - BigInt(nanos)) / nanosPerSecond);
  return timestampAt(seconds, nanos, time.offsetSeconds);
}

export function shiftedBack(time: Timestamp, by: Duration): Timestamp | CelError {
  const backwards = negateInt(by.nanos);
  return isError(backwards) ? backwards : shifted(time, new Duration(backwards));
}

export function between(later: Timestamp, earlier: Timestamp): Duration | CelError {
  const seconds = checkedInt(BigInt(later.seconds - earlier.seconds) * nanosPerSecond);
  return isError(seconds) ? seconds : durationOf(addInt(seconds, later.nanos - earlier.nanos));
}

function durationOf(nanos: Int | CelError): Duration | CelError {
  return isError(nanos) ? nanos : new Duration(nanos);
}

/** Whole units of a duration, computed in floating point like Go's `Duration.Hours()` and similar methods. */
export function wholeUnits(duration: Duration, unitNanos: number): Int {
  const nanos = BigInt(duration.nanos);
  const unit = BigInt(unitNanos);
  return int(BigInt(Math.trunc(Number(nanos / unit) + Number(nanos % unit) / unitNanos)));
}

/** Seconds as Go's `Duration.Seconds()`: the whole part plus the fraction, as a double. */
export function secondsOf(duration: Duration): number {
  const nanos = BigInt(duration.nanos);
  return Number(nanos / nanosPerSecond) + Number(nanos % nanosPerSecond) / billion;
}
