// Whether a policy's windows are open, and when they open next.
import { Cron } from 'croner';
import type { EvictionWindow } from '../model/policy.ts';
import { type Instant, longestDuration } from '../model/time.ts';

export type Openness =
  | { readonly kind: 'Open' }
  /** Without a time they never open again. */
  | { readonly kind: 'Closed'; readonly opensAt?: Instant }
  /** A schedule, time zone or duration that cannot be read. */
  | { readonly kind: 'Unusable'; readonly why: string };

/** Windows add up; one that cannot be read makes all of them unusable, since it is unknown what was meant. */
export function opennessOf(windows: readonly EvictionWindow[], now: Instant): Openness {
  let opensAt: Instant | undefined;
  let isOpen = false;
  for (const [index, window] of windows.entries()) {
    const next = window.duration <= longestDuration ? readSchedule(window) : 'duration is longer than 8784h';
    if (typeof next === 'string') return { kind: 'Unusable', why: `spec.windows[${index}]: ${next}` };
    // The first start that a window which is open now can have had.
    if ((next(now - window.duration) ?? Number.POSITIVE_INFINITY) <= now) isOpen = true;
    const start = next(now);
    if (start !== undefined) opensAt = Math.min(opensAt ?? start, start);
  }
  if (isOpen) return { kind: 'Open' };
  return opensAt === undefined ? { kind: 'Closed' } : { kind: 'Closed', opensAt };
}

/** The first time of a schedule after an instant. */
type Next = (after: Instant) => Instant | undefined;

/** What is wrong with it, where it cannot be read. */
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

/** Days 30 and 31 of each month that has them; the others are the first days of the month after. */
const lastDays = Array.from({ length: 12 }, (_, month) => [30, 31].map((day) => new Date(2001, month, day, 12))).flat();

/**
 * Whether a schedule of five fields names no other day than the 30th and the 31st, of months that do not have them: such a day is
 * searched for through thousands of years, which takes 50 ms.
 */
export function isNever(schedule: string): boolean {
  const days = /\s(3[01](?:[,-]3[01])*\s+\S+\s+\*)$/.exec(schedule.trim())?.[1];
  if (days === undefined) return false;
  const atNoon = new Cron(`0 12 ${days}`);
  return !lastDays.some((day) => atNoon.match(day));
}
