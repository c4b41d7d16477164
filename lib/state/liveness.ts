// What is known about the watcher: its heartbeat, and after which list each kind's rows are complete.
import type { Heartbeat } from '../model/change.ts';
import { compareResourceVersions, type ResourceVersion } from '../model/identity.ts';
import type { ObjectKind } from '../model/projection.ts';
import type { Instant } from '../model/time.ts';
import { absent, any, compare, type Row } from '../table.ts';
import { heartbeatKey, versionText, watermarkKey } from './keys.ts';
import type { State } from './state.ts';

/**
 * Without a heartbeat for this long nothing is evicted: the table may describe a cluster that has moved on. Nor with one from so far
 * ahead: then one of the clocks is wrong, and nobody knows when anything is due.
 */
export const staleAfter = 90_000;

/** `before` is when the heartbeat before this one was received, if there was one. */
export async function storeHeartbeat(
  state: State,
  heartbeat: Heartbeat,
  now: Instant,
): Promise<{ readonly before?: Instant }> {
  const before = await readHeartbeat(state);
  const set = { at: heartbeat.at, receivedAt: now, clockOffset: heartbeat.clockOffset, watched: heartbeat.watched };
  // One from far ahead was sent by a clock that has been put right since.
  const when = any(absent('at'), compare('at', '<=', heartbeat.at), compare('at', '>', now + staleAfter));
  await state.table.write({ kind: 'Update', key: heartbeatKey(state.cluster), change: { set }, when });
  return before === undefined ? {} : { before };
}

/** When the last heartbeat was sent, by the watcher's clock. */
export async function readHeartbeat(state: State): Promise<Instant | undefined> {
  return (await state.table.get(heartbeatKey(state.cluster)))?.at as Instant | undefined;
}

const remembered = new Map<string, Instant>();

/** Whether the watcher has been heard of lately. Asked before every slot and delete, so a good answer is kept for 5 s. */
export async function isWatched(state: State, now: Instant): Promise<boolean> {
  const kept = remembered.get(state.cluster);
  if (kept !== undefined && now >= kept && now - kept < 5000) return true;
  const at = await readHeartbeat(state);
  const fresh = at !== undefined && Math.abs(now - at) < staleAfter;
  if (fresh) remembered.set(state.cluster, now);
  return fresh;
}

export interface Watermark {
  readonly generation: Instant;
  readonly resourceVersion: ResourceVersion;
}

/** Raises the watermark of a kind; `Stale` when a later list has been here already. */
export async function raiseWatermark(state: State, kind: ObjectKind, mark: Watermark): Promise<'Raised' | 'Stale'> {
  const set = { generation: mark.generation, rv: versionText(mark.resourceVersion) };
  const when = any(absent('generation'), compare('generation', '<=', mark.generation));
  const result = await state.table.write({
    kind: 'Update',
    key: watermarkKey(state.cluster, kind),
    change: { set },
    when,
  });
  return result.kind === 'Written' ? 'Raised' : 'Stale';
}

export async function readWatermark(state: State, kind: ObjectKind): Promise<Watermark | undefined> {
  const row: Row | undefined = await state.table.get(watermarkKey(state.cluster, kind));
  if (!row) return undefined;
  return { generation: row.generation as Instant, resourceVersion: row.rv as string };
}

/** A message from before a list that does not show the object any more: what it stored has to be taken back. */
export function isOvertaken(
  seen: { generation: Instant; resourceVersion: ResourceVersion },
  mark: Watermark | undefined,
): boolean {
  if (!mark || seen.generation >= mark.generation) return false;
  return compareResourceVersions(seen.resourceVersion, mark.resourceVersion) <= 0;
}
