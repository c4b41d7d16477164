// A clock that jumps from one due entry to the next: timers, dates and random numbers of the whole process follow it while installed.
import crypto from 'node:crypto';
import type { Instant, Milliseconds } from '../../lib/model/time.ts';

export interface VirtualTime {
  now(): Instant;
  /** Runs at that instant, after earlier entries for the same instant. */
  at(instant: Instant, run: () => void): void;
  sleep(duration: Milliseconds): Promise<void>;
  /** Runs all entries that are due until then, one after another, each with everything that follows from it at once. */
  runUntil(until: Instant): Promise<void>;
  /** Every process was suspended for so long: entries that were due meanwhile run now, late. */
  leap(duration: Milliseconds): void;
  /** Entries run so far. */
  readonly steps: number;
  /** Restores the clock of the process and drops all remaining entries. */
  uninstall(): void;
}

interface Entry {
  readonly at: Instant;
  readonly order: number;
  run: (() => void) | undefined;
}

/** A history with more steps does not end. */
const mostSteps = 1_000_000;

const ownChance = { random: Math.random, randomUUID: crypto.randomUUID };
const own = { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate, Date };

/**
 * All promises that are ready run between two ticks; no part of a history waits for I/O. A turn of the event loop costs a
 * system call, so that only one step in many takes one.
 */
const settle = (steps: number) =>
  new Promise<void>((resolve) => (steps % 1000 === 0 ? own.setImmediate(resolve) : process.nextTick(resolve)));

/** `chance` replaces Math.random and random UUIDs. */
export function installVirtualTime(start: Instant, chance: () => number): VirtualTime {
  let now = start;
  let steps = 0;
  let order = 0;
  const agenda: Entry[] = [];
  const add = (at: Instant, run: () => void): Entry => {
    // A clock shows whole milliseconds, and no entry runs early.
    const entry: Entry = { at: Math.max(Math.ceil(at), now), order: order++, run };
    push(agenda, entry);
    return entry;
  };
  const timer = (delay: number, run: () => void, every = false) => {
    const wait = Math.max(1, Number(delay) || 0);
    const handle = {
      entry: undefined as Entry | undefined,
      unref: () => handle,
      ref: () => handle,
      hasRef: () => true,
    };
    const begin = () => {
      handle.entry = add(now + wait, () => {
        if (every) begin();
        run();
      });
    };
    begin();
    return handle;
  };
  const cancel = (handle: unknown) => {
    const entry = (handle as { entry?: Entry } | undefined)?.entry;
    if (entry) entry.run = undefined;
  };
  class VirtualDate extends own.Date {
    constructor(...of: [] | [number | string]) {
      if (of.length === 0) super(now);
      else super(...of);
    }
    static override now() {
      return now;
    }
  }
  Object.assign(globalThis, {
    setTimeout: (run: (...args: unknown[]) => void, delay = 0, ...args: unknown[]) => timer(delay, () => run(...args)),
    setInterval: (run: (...args: unknown[]) => void, delay = 0, ...args: unknown[]) =>
      timer(delay, () => run(...args), true),
    setImmediate: (run: (...args: unknown[]) => void, ...args: unknown[]) => ({ entry: add(now, () => run(...args)) }),
    clearTimeout: cancel,
    clearInterval: cancel,
    clearImmediate: cancel,
    Date: VirtualDate,
  });
  const hex = () =>
    Math.floor(chance() * 2 ** 32)
      .toString(16)
      .padStart(8, '0');
  Math.random = chance;
  crypto.randomUUID = () =>
    `${hex()}-${hex().slice(4)}-4${hex().slice(5)}-8${hex().slice(5)}-${hex()}${hex().slice(4)}`;
  return {
    now: () => now,
    at: (instant, run) => void add(instant, run),
    sleep: (duration) => new Promise((resolve) => add(now + Math.max(0, duration), resolve)),
    get steps() {
      return steps;
    },
    async runUntil(until) {
      await settle(0);
      for (let next = agenda[0]; next !== undefined && next.at <= until; next = agenda[0]) {
        pop(agenda);
        if (!next.run) continue;
        now = Math.max(now, next.at);
        if (++steps > mostSteps) throw new Error(`no end after ${mostSteps} steps`);
        next.run();
        await settle(steps);
      }
      now = until;
    },
    leap(duration) {
      now += duration;
    },
    uninstall() {
      agenda.length = 0;
      Object.assign(globalThis, own);
      Math.random = ownChance.random;
      crypto.randomUUID = ownChance.randomUUID;
    },
  };
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

/** A binary heap: the earliest entry is the first. */
function push(heap: Entry[], entry: Entry): void {
  let i = heap.length;
  heap.push(entry);
  while (i > 0) {
    const parent = (i - 1) >> 1;
    const above = heap[parent];
    if (!above || !isBefore(entry, above)) break;
    heap[i] = above;
    i = parent;
  }
  heap[i] = entry;
}

function pop(heap: Entry[]): void {
  const last = heap.pop();
  if (!last || heap.length === 0) return;
  let i = 0;
  for (;;) {
    let child = 2 * i + 1;
    const [left, right] = [heap[child], heap[child + 1]];
    if (!left) break;
    if (right && isBefore(right, left)) child++;
    const below = heap[child];
    if (!below || !isBefore(below, last)) break;
    heap[i] = below;
    i = child;
  }
  heap[i] = last;
}
