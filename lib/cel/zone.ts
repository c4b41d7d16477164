// Offsets of time zones: fixed ones such as "+02:00", and named ones from the runtime's zone data.

import type { Recall } from '../model/recall.ts';
import { dayNumber } from './calendar.ts';
import { parseInt64 } from './int.ts';
import { CelError } from './values.ts';

/** Named zones are looked up for years with four digits only. */
const firstAsked = -62_104_060_800;

/** Seconds east of UTC in a zone at an instant (seconds since 1970); an error for an unknown zone. */
export function offsetAt(zone: string, seconds: number, recall: Recall): number | CelError {
  const colon = zone.indexOf(':');
  if (colon >= 0) return fixedOffset(zone, colon);
  if (zone === '' || zone === 'UTC') return 0;
  const format = recall('time zone', zone, () => formatOf(zone));
  if (!format) return new CelError(`unknown time zone ${zone}`);
  const asked = Math.max(seconds, firstAsked);
  const parts = new Map(format.formatToParts(asked * 1000).map(({ type, value }) => [type, Number(value)]));
  const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? 0;
  const day = dayNumber(part('year'), part('month'), part('day'));
  if (day === undefined) return new CelError(`time zone ${zone} has no date for this instant`);
  return day * 86_400 + part('hour') * 3600 + part('minute') * 60 + part('second') - asked;
}

/** `[+-]hours:minutes`; upstream limits neither. */
function fixedOffset(zone: string, colon: number): number | CelError {
  const hours = parseInt64(zone.slice(0, colon));
  const minutes = parseInt64(zone.slice(colon + 1));
  if (hours === undefined || minutes === undefined) return new CelError(`time zone ${zone} is not hours:minutes`);
  const sign = zone.startsWith('-') ? -1 : 1;
  const offset = (Number(hours) * 60 + sign * Number(minutes)) * 60;
  if (Math.abs(offset) > 1e9) return new CelError(`time zone ${zone} is out of range`);
  return offset;
}

const properName = /^[A-Z][A-Za-z0-9+-]*(?:_[A-Za-z]+)*(?:\/[A-Z][A-Za-z0-9+-]*(?:_[A-Za-z]+)*){0,2}$/;

const wholeClock = {
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
  hourCycle: 'h23',
} as const;

/** Zone names are case-sensitive upstream, but not in Intl; names in the wrong case are rejected. */
function formatOf(zone: string): Intl.DateTimeFormat | undefined {
  if (!properName.test(zone)) return undefined;
  try {
    return new Intl.DateTimeFormat('en-u-ca-gregory', { ...wholeClock, timeZone: zone });
  } catch {
    return undefined;
  }
}
