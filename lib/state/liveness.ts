// Liveness of the watcher: when it sent its last heartbeat.

import { remembered } from '../memory.ts';
import type { Heartbeat } from '../model/change.ts';
import type { Instant } from '../model/time.ts';
import { absent, any, compare } from '../table.ts';
import { heartbeatKey } from './keys.ts';
import type { State } from './state.ts';

/**
 * Without a heartbeat for this long, no pod is evicted: the table may be out of date. The same applies to a heartbeat from this far
 * in the future: one of the clocks is wrong, so due times are unknown.
 */
export const staleAfter = 90_000;

/** What holds a whole cluster, as the rules' conditions were last asked to show it. */
export interface ShownHolds {
  readonly stops: string;
  readonly pauses: string;
}

/** `before`: when the previous heartbeat was sent, if any. `isNewest`: no later one was stored. */
export async function storeHeartbeat(
  state: State,
  heartbeat: Heartbeat,
  now: Instant,
): Promise<{ readonly before?: Instant; readonly isNewest: boolean; readonly shown: ShownHolds }> {
  const row = await state.table.get(heartbeatKey(state.cluster));
  const before = row?.at as Instant | undefined;
  const shown = (row?.shown ?? { stops: '', pauses: '' }) as ShownHolds;
  const set = { at: heartbeat.at, receivedAt: now, clockOffset: heartbeat.clockOffset, watched: heartbeat.watched };
  // A heartbeat from far in the future was sent by a clock that has been corrected since.
  const when = any(absent('at'), compare('at', '<=', heartbeat.at), compare('at', '>', now + staleAfter));
  const written = await state.table.write({ kind: 'Update', key: heartbeatKey(state.cluster), change: { set }, when });
  return { shown, isNewest: written.kind === 'Written', ...(before === undefined ? {} : { before }) };
}

/** Call once the reports that show them are requested. */
export async function storeShownHolds(state: State, shown: ShownHolds): Promise<void> {
  await state.table.write({ kind: 'Update', key: heartbeatKey(state.cluster), change: { set: { shown } } });
}

/** When the last heartbeat was sent, by the watcher's clock. */
export async function readHeartbeat(state: State): Promise<Instant | undefined> {
  return (await state.table.get(heartbeatKey(state.cluster)))?.at as Instant | undefined;
}

/** Whether a recent heartbeat exists. Asked before every DELETE, so a positive answer is cached for 5 s. */
export async function isWatched(state: State, now: Instant): Promise<boolean> {
  const heard = remembered<Instant>(state.memory, 'heard');
  const kept = heard.get(state.cluster);
  if (kept !== undefined && now >= kept && now - kept < 5000) return true;
  const at = await readHeartbeat(state);
  const fresh = at !== undefined && Math.abs(now - at) < staleAfter;
  if (fresh) heard.set(state.cluster, now);
  return fresh;
}
