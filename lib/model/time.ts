// Instants and durations as plain numbers; nothing here reads a clock.

/** Milliseconds since the epoch, UTC. */
export type Instant = number;

/** A length of time in milliseconds. */
export type Milliseconds = number;

/** The largest instant a JavaScript date can hold; due times are clamped to it so that huge tolerations never overflow. */
export const farFuture: Instant = 8_640_000_000_000_000;

/** `at` moved by whole seconds, clamped to what a date can hold; seconds may be any int64, negative counts as 0. */
export function plusSeconds(at: Instant, seconds: number): Instant {
  return Math.min(at + Math.max(seconds, 0) * 1000, farFuture);
}

/** Whether something that is due at `at` may happen at `now`. */
export function isDue(at: Instant, now: Instant): boolean {
  return at <= now;
}

/** Reads an RFC 3339 time of the Kubernetes API; `undefined` where it is absent or not a time. */
export function parseInstant(text: string | undefined | null): Instant | undefined {
  // An absent time becomes a word that is none.
  const at = Date.parse(String(text));
  return Number.isNaN(at) ? undefined : at;
}

/** Writes an instant as the Kubernetes API does for metav1.Time: RFC 3339 with whole seconds. */
export function formatInstant(at: Instant): string {
  return new Date(Math.floor(at / 1000) * 1000).toISOString().replace('.000Z', 'Z');
}
