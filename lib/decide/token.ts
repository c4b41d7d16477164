// How long a token may be used.
import type { Token } from '../model/eviction.ts';
import type { Instant, Milliseconds } from '../model/time.ts';

/**
 * A token is dropped this long after its time, so that a stall does not release a minute's tokens at once. With 0.2 s for the request, a
 * DELETE reaches the API server within one second of its token.
 */
export const tokenLifetime: Milliseconds = 800;

/** Tokens of a burst have times before the moment they were taken; for them `takenAt` counts. */
export function lastUse({ at, takenAt }: Pick<Token, 'at' | 'takenAt'>): Instant {
  return Math.max(at, takenAt) + tokenLifetime;
}
