// Schedules retries of a limiter after a failure: well before the next sweep, with a growing back-off.
import { retryAfter } from '../../decide/mode.ts';
import type { Because } from '../../gates/gate.ts';
import type { EvictMessage } from '../../model/message.ts';
import type { Instant, Milliseconds } from '../../model/time.ts';
import { claimRetry } from '../../state/leaseRows.ts';
import type { EvictDependencies, Turn } from '../../steps/step.ts';

export interface Retries {
  /** A read failed, or its objects kept changing: pods are kept and may be evicted a moment later. */
  lookSoon(): void;
  /** A pod was put back and may be evicted from `at` on. */
  lookAt(at: Instant): void;
  /** All pods are held: no event announces that a window opens or a canary passes, so this schedules a message. */
  lookAfter(because: readonly Pick<Because, 'until'>[]): void;
  /** A pod was evicted, so the failure is over. */
  worked(): void;
  /** Sends the scheduled messages, at the end of a round. */
  send(): Promise<void>;
}

/** Period of the sweep. */
const sweepEvery: Milliseconds = 60_000;

/** Consecutive retries. Their delays fill the time until the next sweep, which starts another series. */
const mostInARow = 4;

/** Due times per round, in whole seconds; the sweep covers the others. */
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
      // A hold without a known end is ended by an event, which wakes the limiter itself.
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
