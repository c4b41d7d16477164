// Runs steps concurrently on a manually advanced clock: each sleeps until the clock reaches its wake time.
import type { Instant, Milliseconds } from '../../lib/model/time.ts';

export interface Agenda {
  sleep(duration: Milliseconds): Promise<void>;
  /** Wake time of the first sleeper; infinity if none sleeps. */
  next(): Instant;
  /** Wakes sleepers whose wake time has come. */
  wake(): void;
  /** Marks a call that resolves in a later turn of the event loop, so that `settle` waits for it. */
  during<T>(call: Promise<T>): Promise<T>;
  /** Resolves when every step has ended or sleeps. Throws the error of a failed step. */
  settle(): Promise<void>;
  /** Adds a step that runs concurrently with others. */
  watch(step: Promise<unknown>, maySleep: boolean): Promise<void>;
  /** Runs a step to its end, moving the clock from one sleeper to the next. */
  drive<T>(step: Promise<T>): Promise<T>;
}

export function createAgenda(clock: { now(): Instant; setNow(at: Instant): void }): Agenda {
  let sleepers: { readonly at: Instant; readonly run: () => void }[] = [];
  let calls = 0;
  let failure: { readonly error: unknown } | undefined;
  const agenda: Agenda = {
    sleep: (duration) => new Promise((run) => void sleepers.push({ at: clock.now() + Math.max(0, duration), run })),
    next: () => Math.min(...sleepers.map(({ at }) => at)),
    wake() {
      const due = sleepers.filter(({ at }) => at <= clock.now());
      sleepers = sleepers.filter(({ at }) => at > clock.now());
      for (const { run } of due.toSorted((a, b) => a.at - b.at)) run();
    },
    async during(call) {
      calls++;
      try {
        return await call;
      } finally {
        calls--;
      }
    },
    async settle() {
      // All other in-memory work needs microtasks only.
      do await new Promise<void>((resolve) => setImmediate(resolve));
      while (calls > 0);
      if (!failure) return;
      const { error } = failure;
      failure = undefined;
      throw error;
    },
    async watch(step, maySleep) {
      const watched = step.catch((error: unknown) => {
        failure ??= { error };
      });
      await (maySleep ? agenda.settle() : watched);
    },
    async drive(step) {
      let isOver = false;
      const over = () => {
        isOver = true;
      };
      step.then(over, over);
      for (;;) {
        await agenda.settle();
        if (isOver) return step;
        const at = agenda.next();
        if (at === Number.POSITIVE_INFINITY) continue;
        clock.setNow(Math.max(clock.now(), at));
        agenda.wake();
      }
    },
  };
  return agenda;
}
