// When the next pod goes and when the last one will, from a limiter's rate, its bucket and who is listed.
import type { Rate } from '../model/eviction.ts';
import type { Instant } from '../model/time.ts';
import type { Standings } from './standing.ts';

export interface Estimate {
  readonly nextSlot?: Instant;
  readonly finishAt?: Instant;
}

export interface Backlog {
  readonly standings: Standings;
  readonly rate: Rate;
  /** When the bucket's next slot is free; absent before its first. */
  readonly freeAt: Instant | undefined;
  readonly now: Instant;
}

/** Nothing is promised where nothing moves: a rate or burst of 0. */
export function estimate({ standings, rate, freeAt, now }: Backlog): Estimate {
  const { slots, pending, dueTimes } = standings;
  if (slots.length + pending + dueTimes.length === 0 || !(rate.perSecond > 0) || rate.burst < 1) return {};
  const step = 1000 / rate.perSecond;
  const burst = (rate.burst - 1) * step;
  const free = Math.max(freeAt ?? 0, now - burst);
  const first = Math.min(slots[0] ?? Infinity, pending > 0 ? free : (dueTimes[0] ?? Infinity));
  const last = Math.max(slots.at(-1) ?? now, lastOf({ free, step, burst, pending, dueTimes }));
  return { nextSlot: Math.max(now, first), finishAt: Math.max(now, last) };
}

interface Queue {
  readonly free: Instant;
  readonly step: number;
  readonly burst: number;
  readonly pending: number;
  readonly dueTimes: readonly Instant[];
}

/** Those who may go take the free slots in turn; the others join when their time has come, on what has been saved up by then. */
function lastOf({ free, step, burst, pending, dueTimes }: Queue): Instant {
  let next = free + pending * step;
  let last = pending > 0 ? next - step : 0;
  for (const dueAt of dueTimes) {
    const slot = Math.max(next, dueAt - burst);
    last = Math.max(slot, dueAt);
    next = slot + step;
  }
  return last;
}
