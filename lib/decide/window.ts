// Whether a policy's windows are open, and when they open next.
import { Cron } from 'croner';
import type { EvictionWindow } from '../model/policy.ts';
import { type Instant, longestDuration } from '../model/time.ts';

export type Openness =
  | { readonly kind: 'Open' }
  /** Without `opensAt` the windows never open again. */
  | { readonly kind: 'Closed'; readonly opensAt?: Instant }
  /** A schedule, time zone or duration is invalid. */
  | { readonly kind: 'Unusable'; readonly why: string };

/** Open if any window is open. One invalid window makes all unusable, since the intent is unknown. */
export function opennessOf(windows: readonly EvictionWindow[], now: Instant): Openness {
  const { why, closesAt, opensAt } = turnsOf(windows, now);
  if (why !== undefined) return { kind: 'Unusable', why };
  if (closesAt !== undefined) return { kind: 'Open' };
  return opensAt === undefined ? { kind: 'Closed' } : { kind: 'Closed', opensAt };
}

/** The next time at which the windows may open or close; `undefined` if there is none, or if a window is invalid. */
export function nextTurn(windows: readonly EvictionWindow[], now: Instant): Instant | undefined {
  const { closesAt, opensAt } = turnsOf(windows, now);
  return closesAt ?? opensAt;
}

interface Turns {
  /** Why a window is invalid; without times then. */
  readonly why?: string;
  /** End of the last of the windows that are open now; absent if none is. */
  readonly closesAt?: Instant;
  /** The next start of a window. */
  readonly opensAt?: Instant;
}

function turnsOf(windows: readonly EvictionWindow[], now: Instant): Turns {
  let turns: Turns = {};
  for (const [index, window] of windows.entries()) {
    const next = window.duration <= longestDuration ? readSchedule(window) : 'duration is longer than 8784h';
    if (typeof next === 'string') return { why: `spec.windows[${index}]: ${next}` };
    // The earliest start of a window that is open now.
    const begun = next(now - window.duration) ?? Number.POSITIVE_INFINITY;
    if (begun <= now) turns = { ...turns, closesAt: Math.max(turns.closesAt ?? now, begun + window.duration) };
    const start = next(now);
    if (start !== undefined) turns = { ...turns, opensAt: Math.min(turns.opensAt ?? start, start) };
  }
  return turns;
}

/** The first time of a schedule after an instant; `undefined` if there is none. */
type Next = (after: Instant) => Instant | undefined;

/** The schedule as a function, or the error. */
function readSchedule({ schedule, timeZone: timezone = 'UTC' }: EvictionWindow): Next | string {
  try {
    new Intl.DateTimeFormat('en', { timeZone: timezone });
  } catch {
    return `time zone "${timezone}" does not exist: use an IANA name such as Europe/Berlin`;
  }
  try {
    const cron = new Cron(schedule, { timezone, mode: '5-part' });
    return isNever(schedule) ? () => undefined : (after) => cron.nextRun(new Date(after))?.getTime();
  } catch (error) {
    return `schedule "${schedule}" is no cron expression of five fields: ${error instanceof Error ? error.message : error}`;
  }
}

/** Days 30 and 31 of every month that has them; the Date constructor turns the others into the first days of the next month. */
const lastDays = Array.from({ length: 12 }, (_, month) => [30, 31].map((day) => new Date(2001, month, day, 12))).flat();

/**
 * Whether a five-field schedule names only days 30 and 31, of months that do not have them: croner searches thousands of years for such a
 * day, which takes 50 ms.
 */
export function isNever(schedule: string): boolean {
  const days = /\s(3[01](?:[,-]3[01])*\s+\S+\s+\*)$/.exec(schedule.trim())?.[1];
  if (days === undefined) return false;
  const atNoon = new Cron(`0 12 ${days}`);
  return !lastDays.some((day) => atNoon.match(day));
}
