// The EvictionStops that a stage or the watcher saw last: for readers of the table, and where the API server does not serve the kind.
import type { EvictionStop } from '../model/stop.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import { compare } from '../table.ts';
import { stopKey } from './keys.ts';
import { readRecent } from './recentRows.ts';
import type { State } from './state.ts';

/** How long a note is valid; while pods are pending, the sweep triggers a check each minute. */
const standsFor: Milliseconds = 180_000;

export interface NotedStops {
  readonly why: string;
  /** Empty where EvictionStops could not be read. */
  readonly stops: readonly EvictionStop[];
}

export async function noteStops(
  state: State,
  { why, stops, now }: NotedStops & { readonly now: Instant },
): Promise<void> {
  const set = { why, stops, seenAt: now, ttl: Math.floor((now + standsFor) / 1000) };
  await state.table.write({ kind: 'Update', key: stopKey(state.cluster), change: { set } });
}

/** `undefined` where no recent stop is noted. */
export async function readNotedStops(
  state: State,
  now: Instant,
): Promise<(NotedStops & { readonly seenAt: Instant }) | undefined> {
  const row = await state.table.get(stopKey(state.cluster));
  if (typeof row?.seenAt !== 'number' || now - row.seenAt > standsFor) return undefined;
  return { seenAt: row.seenAt, why: String(row.why), stops: (row.stops ?? []) as readonly EvictionStop[] };
}

/** Removes the note, unless a stage has noted a stop again since. */
export async function endNotedStops(state: State, seenAt: Instant): Promise<void> {
  await state.table.write({ kind: 'Delete', key: stopKey(state.cluster), when: compare('seenAt', '=', seenAt) });
}

/** A DELETE may still be under way this long after the stop was seen. */
const underWay: Milliseconds = 1000;

/** Stops are noted while pods are pending; an eviction after the note shows that the stop is gone. `last`: the newest eviction. */
export function isStopOver(
  { seenAt }: { readonly seenAt: Instant },
  [last]: readonly { readonly at: Instant }[],
): boolean {
  return last !== undefined && last.at > seenAt + underWay;
}

/** Like `readNotedStops`, for readers that have not read the last evictions. */
export async function readStandingStops(state: State, now: Instant): Promise<NotedStops | undefined> {
  const noted = await readNotedStops(state, now);
  if (!noted) return undefined;
  const { evictions } = await readRecent(state, { since: noted.seenAt, limit: 1 });
  return isStopOver(noted, evictions) ? undefined : noted;
}
