// The proleptic Gregorian calendar in whole days since 1970, without a clock or a time zone.

export interface Date {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
  /** 0 is the first of January. */
  readonly dayOfYear: number;
  /** 0 is Sunday. */
  readonly weekday: number;
  readonly secondOfDay: number;
}

const daysBeforeMonth = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365];

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

function daysBefore(month: number, year: number): number {
  return (daysBeforeMonth[month - 1] ?? 0) + (month > 2 && isLeap(year) ? 1 : 0);
}

/** Days from 0000-01-01 to the first of January of a year. */
function daysBeforeYear(year: number): number {
  const last = year - 1;
  return year * 365 + Math.floor(last / 4) - Math.floor(last / 100) + Math.floor(last / 400) + 1;
}

const epoch = daysBeforeYear(1970);

/** Undefined when the date does not exist. */
export function dayNumber(year: number, month: number, day: number): number | undefined {
  if (month < 1 || month > 12 || day < 1) return undefined;
  if (day > daysBefore(month + 1, year) - daysBefore(month, year)) return undefined;
  return daysBeforeYear(year) - epoch + daysBefore(month, year) + day - 1;
}

/** The date at a count of seconds since 1970. */
export function dateOf(seconds: number): Date {
  const days = Math.floor(seconds / 86_400);
  let year = 1970 + Math.floor(days / 365.2425);
  while (daysBeforeYear(year) - epoch > days) year--;
  while (daysBeforeYear(year + 1) - epoch <= days) year++;
  const dayOfYear = days - (daysBeforeYear(year) - epoch);
  let month = 1;
  while (month < 12 && daysBefore(month + 1, year) <= dayOfYear) month++;
  const day = dayOfYear - daysBefore(month, year) + 1;
  const weekday = (((days + 4) % 7) + 7) % 7;
  return { year, month, day, dayOfYear, weekday, secondOfDay: seconds - days * 86_400 };
}
