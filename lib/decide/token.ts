// For how long a token may be used.
import type { Token } from '../model/eviction.ts';
import type { Instant, Milliseconds } from '../model/time.ts';

/**
 * A token is dropped this long after its time, so that a stall does not release the tokens of a minute at once. With a fifth of a
 * second for the request, deletes arrive at the API server within a second of their tokens.
 */
export const tokenLifetime: Milliseconds = 800;

/** The tokens of a burst lie before the moment at which they were taken, which counts for them. */
export function lastUse({ at, takenAt }: Pick<Token, 'at' | 'takenAt'>): Instant {
  return Math.max(at, takenAt) + tokenLifetime;
}
