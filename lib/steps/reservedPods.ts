// Pods that have a slot of a limiter and wait for their evictor.
import type { LimiterId } from '../model/eviction.ts';
import { readAllReserved } from '../state/limiterRows.ts';
import { type PodRow, readPods } from '../state/podRows.ts';
import type { State } from '../state/state.ts';

/** Those that are being deleted are listed beside them, and left out. */
export async function readReservedPods(state: State, limiter: LimiterId): Promise<readonly PodRow[]> {
  const listed = await readAllReserved(state, limiter);
  const rows = await readPods(
    state,
    listed.map(({ pod }) => pod),
  );
  return rows.filter(({ ledger }) => ledger?.state === 'Reserved' && ledger.reservation?.limiter === limiter);
}
