// How long to wait before the next attempt, and how to wait so that a stop is noticed.
import type { Milliseconds } from '../model/time.ts';
import type { Clock, Log } from '../ports.ts';

const [shortest, longest]: readonly [Milliseconds, Milliseconds] = [250, 30_000];

/** Doubling with each failure up to 30 s; a random half of it, so that many watchers do not come back together. */
export function backoff(failures: number, random: () => number = Math.random): Milliseconds {
  const full = Math.min(longest, shortest * 2 ** Math.min(Math.max(failures - 1, 0), 20));
  return full * (0.5 + random() / 2);
}

/** Ends early when the signal is aborted. */
export function pause(signal: AbortSignal, duration: Milliseconds): Promise<void> {
  if (signal.aborted || duration <= 0) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, duration);
    signal.addEventListener('abort', done, { once: true });
  });
}

const sayAgainAfter: Milliseconds = 60_000;

/** Says a problem when it is new, and once a minute while it lasts: an outage of hours must not fill the log. */
export function createComplaint(
  log: Log,
  clock: Pick<Clock, 'now'>,
): {
  say(problem: string, fields?: Readonly<Record<string, unknown>>): void;
  /** The problem is over. */
  settle(message: string): void;
} {
  let last: { readonly problem: string; readonly at: number } | undefined;
  return {
    say(problem, fields) {
      const now = clock.now();
      if (last?.problem === problem && now - last.at < sayAgainAfter) return;
      last = { problem, at: now };
      log.error(problem, fields);
    },
    settle(message) {
      if (last) log.info(message);
      last = undefined;
    },
  };
}
