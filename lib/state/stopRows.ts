// What a stage last saw to stop a cluster, for those who read only the table: the page and `why`. It decides nothing.
import type { Instant, Milliseconds } from '../model/time.ts';
import { stopKey } from './keys.ts';
import type { State } from './state.ts';

/** While pods wait, the sweep has a stage look each minute. */
const standsFor: Milliseconds = 180_000;

export async function noteStops(
  state: State,
  { why, now }: { readonly why: string; readonly now: Instant },
): Promise<void> {
  const set = { why, seenAt: now, ttl: Math.floor((now + standsFor) / 1000) };
  await state.table.write({ kind: 'Update', key: stopKey(state.cluster), change: { set } });
}

/** `undefined` where nothing stopped a pod lately. */
export async function readNotedStops(state: State, now: Instant): Promise<string | undefined> {
  const row = await state.table.get(stopKey(state.cluster));
  if (typeof row?.seenAt !== 'number' || now - row.seenAt > standsFor) return undefined;
  return String(row.why);
}
