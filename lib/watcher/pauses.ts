// Back-off delays, and waits that end when the process stops.
import type { Milliseconds } from '../model/time.ts';
import type { Clock, Log } from '../ports.ts';

const [shortest, longest]: readonly [Milliseconds, Milliseconds] = [250, 30_000];

/** Doubles with each failure, up to 30 s. Half of it is random, so that many watchers do not retry together. */
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

/** Logs a problem when it is new, and once a minute while it lasts: a long outage must not fill the log. */
export function createComplaint(
  log: Log,
  clock: Pick<Clock, 'now'>,
): {
  say(problem: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Logs `message` if a problem was logged before. */
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
