// What a stage last saw to stop a cluster, for those who read only the table: the page and `why`. It decides nothing.
import type { EvictionStop } from '../model/stop.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import { stopKey } from './keys.ts';
import { readRecent } from './recentRows.ts';
import type { State } from './state.ts';

/** While pods wait, the sweep has a stage look each minute. */
const standsFor: Milliseconds = 180_000;

export interface NotedStops {
  readonly why: string;
  /** None where it is unknown whether there is one. */
  readonly stops: readonly EvictionStop[];
}

export async function noteStops(
  state: State,
  { why, stops, now }: NotedStops & { readonly now: Instant },
): Promise<void> {
  const set = { why, stops, seenAt: now, ttl: Math.floor((now + standsFor) / 1000) };
  await state.table.write({ kind: 'Update', key: stopKey(state.cluster), change: { set } });
}

/** `undefined` where nothing stopped a pod lately. */
export async function readNotedStops(
  state: State,
  now: Instant,
): Promise<(NotedStops & { readonly seenAt: Instant }) | undefined> {
  const row = await state.table.get(stopKey(state.cluster));
  if (typeof row?.seenAt !== 'number' || now - row.seenAt > standsFor) return undefined;
  return { seenAt: row.seenAt, why: String(row.why), stops: (row.stops ?? []) as readonly EvictionStop[] };
}

/** A delete may still be under way for so long after its stop was seen. */
const underWay: Milliseconds = 1000;

/** A stop is noted while pods wait for its end; an eviction after that, the newest first, says that it is gone. */
export function isStopOver(
  { seenAt }: { readonly seenAt: Instant },
  [last]: readonly { readonly at: Instant }[],
): boolean {
  return last !== undefined && last.at > seenAt + underWay;
}

/** `readNotedStops`, of readers that do not have the last evictions at hand. */
export async function readStandingStops(state: State, now: Instant): Promise<NotedStops | undefined> {
  const noted = await readNotedStops(state, now);
  if (!noted) return undefined;
  const { evictions } = await readRecent(state, { since: noted.seenAt, limit: 1 });
  return isStopOver(noted, evictions) ? undefined : noted;
}
