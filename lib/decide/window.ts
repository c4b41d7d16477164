// Whether a policy's windows are open, and when they open next.
import { Cron } from 'croner';
import type { EvictionWindow } from '../model/policy.ts';
import type { Instant } from '../model/time.ts';

export type Openness =
  | { readonly kind: 'Open' }
  /** Without a time they never open again. */
  | { readonly kind: 'Closed'; readonly opensAt?: Instant }
  /** A schedule or time zone that cannot be read. */
  | { readonly kind: 'Unusable'; readonly why: string };

/** Windows add up; one that cannot be read makes all of them unusable, since it is unknown what was meant. */
export function opennessOf(windows: readonly EvictionWindow[], now: Instant): Openness {
  let opensAt: Instant | undefined;
  let isOpen = false;
  for (const [index, window] of windows.entries()) {
    const cron = readCron(window);
    if (typeof cron === 'string') return { kind: 'Unusable', why: `spec.windows[${index}]: ${cron}` };
    // The first start that a window which is open now can have had.
    const started = cron.nextRun(new Date(now - window.duration))?.getTime() ?? Number.POSITIVE_INFINITY;
    if (started <= now) isOpen = true;
    const next = cron.nextRun(new Date(now))?.getTime();
    if (next !== undefined) opensAt = Math.min(opensAt ?? next, next);
  }
  if (isOpen) return { kind: 'Open' };
  return opensAt === undefined ? { kind: 'Closed' } : { kind: 'Closed', opensAt };
}

const crons = new Map<string, Cron | string>();

/** What is wrong with it, where it cannot be read; a text is read once. */
function readCron({ schedule, timeZone = 'UTC' }: EvictionWindow): Cron | string {
  const key = `${timeZone} ${schedule}`;
  const known = crons.get(key) ?? compile(schedule, timeZone);
  // Stryker disable next-line ConditionalExpression,EqualityOperator,CallExpression: a memory that is emptied too often is only slower
  if (crons.size > 1000) crons.clear();
  // Stryker disable next-line CallExpression: without the memory a text is read again, only slower
  crons.set(key, known);
  return known;
}

function compile(schedule: string, timezone: string): Cron | string {
  try {
    new Intl.DateTimeFormat('en', { timeZone: timezone });
  } catch {
    return `time zone "${timezone}" does not exist: use an IANA name such as Europe/Berlin`;
  }
  try {
    return new Cron(schedule, { timezone, mode: '5-part' });
  } catch (error) {
    return `schedule "${schedule}" is no cron expression of five fields: ${error instanceof Error ? error.message : error}`;
  }
}
