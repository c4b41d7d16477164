// Which pods a limiter may give slots to, in order: those without one, and those that another limiter would let go later.
import { epochsOf } from '../decide/epoch.ts';
import { gainsBy } from '../decide/pace.ts';
import type { Ledger, LimiterId, Rate, Reservation } from '../model/eviction.ts';
import type { TaintRule } from '../model/rule.ts';
import { type Instant, isDue } from '../model/time.ts';
import { readSchedule } from '../state/bucketRows.ts';
import { readPending } from '../state/limiterRows.ts';
import { type PodRow, readPods, writeLedger } from '../state/podRows.ts';
import type { State } from '../state/state.ts';
import type { Rooms } from './inFlight.ts';

/**
 * A pod under several limiters goes at the earliest slot that any of them gives (KEP-5055, rate-limited revision). The slots that
 * the bucket is going to give are foreseen, so that none is spent on a pod that would not gain by it.
 */
export async function readCandidates(
  state: State,
  limiter: LimiterId,
  by: { readonly most: number; readonly rate: Rate; readonly now: Instant; readonly rooms?: Rooms | undefined },
): Promise<readonly PodRow[]> {
  const { rooms } = by;
  const schedule = await readSchedule(state, limiter, by);
  if (!schedule) return [];
  const candidates: PodRow[] = [];
  let after: string | undefined;
  do {
    const page = await readPending(state, limiter, { limit: by.most, ...(after === undefined ? {} : { after }) });
    const found = await readPods(
      state,
      page.rows.map((one) => one.pod),
    );
    const rows = new Map(found.map((row) => [row.key, row]));
    await rooms?.look(found);
    for (const row of page.rows.flatMap((one) => rows.get(one.pod) ?? [])) {
      const slot = schedule.first + candidates.length * schedule.step;
      if (!isCandidate(row, { limiter, slot, now: by.now }) || rooms?.has(row) === false) continue;
      rooms?.take(row);
      candidates.push(row);
    }
    after = page.next;
  } while (candidates.length < by.most && after !== undefined);
  return candidates.slice(0, by.most);
}

function isCandidate(
  row: PodRow,
  offer: { readonly limiter: LimiterId; readonly slot: Instant; readonly now: Instant },
): boolean {
  const { ledger } = row;
  return (
    !row.gone &&
    ledger?.podUid === row.uid &&
    (ledger.state === 'Pending' || ledger.state === 'Reserved') &&
    ledger.listings.some((one) => one.limiter === offer.limiter) &&
    gainsBy(reservationOf(row), offer)
  );
}

function reservationOf({ ledger }: PodRow): Reservation | undefined {
  return ledger?.state === 'Reserved' ? ledger.reservation : undefined;
}

interface Slot {
  readonly limiter: LimiterId;
  readonly slot: Instant;
  readonly frozen: Instant;
  readonly rules: readonly TaintRule[];
}

/** A lost race wastes the slot, which only makes the pace slower. */
export async function reserve(state: State, row: PodRow | undefined, by: Slot): Promise<PodRow | undefined> {
  const listing = row?.ledger?.listings.find((one) => one.limiter === by.limiter);
  if (!row?.ledger || !listing || !isDue(listing.dueAt, by.frozen)) return undefined;
  const held = reservationOf(row);
  if (!gainsBy(held, { limiter: by.limiter, slot: by.slot, now: by.frozen })) return undefined;
  const reservation = {
    limiter: by.limiter,
    epoch: epochsOf(by.rules)(by.limiter),
    slot: by.slot,
    reservedAt: by.frozen,
  };
  const ledger: Ledger = { ...row.ledger, state: 'Reserved', reservation };
  const written = await writeLedger(state, row, { ledger, now: by.frozen });
  return written.kind === 'Written' ? written.row : undefined;
}
