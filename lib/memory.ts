// What one process remembers between calls: an object that its composition root makes, so that no module has state of its own.
import { createRecall, type Recall, recallNothing } from './model/recall.ts';
import type { Instant, Milliseconds } from './model/time.ts';

export interface Memory {
  /** The value of that name, made at the first call. */
  of<T>(name: string, make: () => T): T;
}

export function createMemory(): Memory {
  const values = new Map<string, unknown>();
  return {
    of<T>(name: string, make: () => T): T {
      if (!values.has(name)) values.set(name, make());
      return values.get(name) as T;
    },
  };
}

/** What decisions of this process compile; without a memory it is compiled again. */
export function recallOf(memory: Memory | undefined): Recall {
  return memory ? memory.of('recall', createRecall) : recallNothing;
}

/** What is remembered under that name; without a memory nothing is kept between two calls. */
export function remembered<V>(memory: Memory | undefined, name: string): Map<string, V> {
  return memory ? memory.of(name, () => new Map<string, V>()) : new Map<string, V>();
}

interface Kept<T> {
  readonly at: Instant;
  readonly value: Promise<T>;
}

/** More answers of one kind than this are not kept. */
const mostKept = 1000;

/** An answer that all who ask within `maxAge` share; it is shared before it is there. `at`: when it was asked for. */
export async function sharedRead<T>(
  memory: Memory,
  by: { readonly kind: string; readonly key: string; readonly now: Instant; readonly maxAge: Milliseconds },
  read: () => Promise<T>,
): Promise<{ readonly value: T; readonly at: Instant }> {
  const kept = memory.of(`read ${by.kind}`, () => new Map<string, Kept<T>>());
  const known = kept.get(by.key);
  if (known && by.now >= known.at && by.now - known.at < by.maxAge) return { value: await known.value, at: known.at };
  const value = read();
  if (kept.size > mostKept) kept.clear();
  kept.set(by.key, { at: by.now, value });
  // What failed is asked again.
  value.catch(() => kept.delete(by.key));
  return { value: await value, at: by.now };
}
