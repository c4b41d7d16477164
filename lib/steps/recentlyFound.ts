// Whom a rule or a taint matches, counted at most once a second by a process that asks for each of its pods.
import type { Instant, Milliseconds } from '../model/time.ts';
import type { Found } from '../state/sliceMatch.ts';

/** A step that lists all pods does not count again for each pod. */
const remembersFor: Milliseconds = 1000;

const remembered = new Map<string, { readonly at: Instant; readonly found: Promise<Found> }>();

export async function recently(key: string, now: Instant, find: () => Promise<Found>): Promise<Found> {
  const kept = remembered.get(key);
  if (kept && now >= kept.at && now - kept.at < remembersFor) return kept.found;
  const found = find();
  if (remembered.size > 1000) remembered.clear();
  remembered.set(key, { at: now, found });
  return found;
}
