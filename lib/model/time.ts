// Instants and durations as plain numbers; nothing here reads a clock.

/** Milliseconds since the epoch, UTC. */
export type Instant = number;

/** A length of time in milliseconds. */
export type Milliseconds = number;

/** 366 days: the longest duration that people may set, so that `now` plus or minus it is a valid date. The CRDs reject longer ones. */
export const longestDuration: Milliseconds = 8784 * 3_600_000;

/** The largest instant that a JavaScript Date can represent; due times are clamped to it, so huge tolerations do not overflow. */
export const farFuture: Instant = 8_640_000_000_000_000;

/** `at` plus whole seconds, clamped to `farFuture`. Seconds may be any int64; negative counts as 0. */
export function plusSeconds(at: Instant, seconds: number): Instant {
  return Math.min(at + Math.max(seconds, 0) * 1000, farFuture);
}

/** Whether something due at `at` may happen at `now`. */
export function isDue(at: Instant, now: Instant): boolean {
  return at <= now;
}

const rfc3339 = /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** Parses an RFC 3339 time as the API server does (Go's time.RFC3339, with zone); `undefined` if absent or invalid. */
export function parseInstant(text: string | undefined | null): Instant | undefined {
  // Stryker disable next-line StringLiteral: Stryker's text is not a valid time
  const written = text ?? '';
  const day = rfc3339.exec(written)?.[1];
  // Stryker disable next-line ConditionalExpression: no date text begins with `undefined`
  if (day === undefined) return undefined;
  // Date.parse reads 31 November as 1 December.
  return String(new Date(`${day}T00:00:00Z`).toJSON()).startsWith(day) ? Date.parse(written) : undefined;
}

/** Formats an instant as metav1.Time: RFC 3339 with whole seconds, clamped to what a Date can represent. */
export function formatInstant(at: Instant): string {
  const held = Math.max(-farFuture, Math.min(at, farFuture));
  return new Date(Math.floor(held / 1000) * 1000).toISOString().replace('.000Z', 'Z');
}

const units: Readonly<Record<string, Milliseconds>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Parses a metav1.Duration as the CRDs allow it, such as `1h30m` or `90s`; `undefined` for other texts and beyond `longestDuration`. */
export function parseDuration(text: string): Milliseconds | undefined {
  if (!/^(\d{1,9}(ms|s|m|h))+$/.test(text)) return undefined;
  const parts = [...text.matchAll(/(\d+)(ms|s|m|h)/g)];
  // Stryker disable next-line StringLiteral: every part has a unit
  const length = parts.reduce((sum, [, n, unit = 's']) => sum + Number(n) * (units[unit] ?? 0), 0);
  return length <= longestDuration ? length : undefined;
}
