// When a limiter is looked at again after something failed: long before the next sweep, and less and less often while it still fails.
import { retryAfter } from '../../decide/mode.ts';
import type { Because } from '../../gates/gate.ts';
import type { EvictMessage } from '../../model/message.ts';
import type { Instant, Milliseconds } from '../../model/time.ts';
import { claimRetry } from '../../state/leaseRows.ts';
import type { EvictDependencies, Turn } from '../../steps/step.ts';

export interface Retries {
  /** A read failed, or what it showed did not hold still: its pods stay, and may go a moment later. */
  lookSoon(): void;
  /** A pod was put back, and may be evicted from then on. */
  lookAt(at: Instant): void;
  /** No pod may go: a window that opens and a canary that passes are no events, so nothing else asks then. */
  lookAfter(because: readonly Pick<Because, 'until'>[]): void;
  /** A pod was evicted: what failed before works again. */
  worked(): void;
  /** Sends what was asked for; at the end of a round. */
  send(): Promise<void>;
}

/** The sweep looks once a minute. */
const sweepEvery: Milliseconds = 60_000;

/** In a row; with their delays they fill the time between two sweeps, and the next sweep begins another row. */
const mostInARow = 4;

/** Instants at which pods come back, in whole seconds; others wait for the sweep. */
const mostInstants = 16;

export function createRetries(deps: EvictDependencies, { state }: Turn, message: EvictMessage): Retries {
  const { limiter } = message;
  const instants = new Set<Instant>();
  let inARow = message.retries ?? 0;
  let isWanted = false;
  const lookAt = (at: Instant) => void instants.add(Math.ceil(at / 1000) * 1000);
  return {
    lookSoon() {
      isWanted = true;
    },
    lookAt,
    lookAfter(because) {
      // What ends by an event, at no known time, asks for itself.
      const ends = because.map(({ until = Number.POSITIVE_INFINITY }) => until);
      if (ends.length > 0) lookAt(Math.max(...ends));
    },
    worked() {
      inARow = 0;
    },
    async send() {
      const now = deps.clock.now();
      const known = [...instants].filter((at) => at - now < sweepEvery).toSorted((a, b) => a - b);
      const messages = known
        .slice(0, mostInstants)
        .map((notBefore) => ({ cluster: state.cluster, limiter, notBefore }));
      const at = now + retryAfter(inARow);
      const retry = { cluster: state.cluster, limiter, retries: inARow + 1, notBefore: at };
      const isOwn = isWanted && inARow < mostInARow && (await claimRetry(state, limiter, { now, at }));
      isWanted = false;
      instants.clear();
      const all = isOwn ? [...messages, retry] : messages;
      if (all.length > 0) await deps.queues.sendEvict(all);
    },
  };
}
