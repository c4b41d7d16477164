// Which pods a limiter may give slots to, in order: those without one, and those that another limiter would let go later.
import { sharedSlot } from '../decide/group.ts';
import { placeAt } from '../decide/line.ts';
import { gainsBy } from '../decide/pace.ts';
import type { Ledger, LimiterId, Listing, Rate, Reservation } from '../model/eviction.ts';
import { compareText } from '../model/snapshot.ts';
import { type Instant, isDue } from '../model/time.ts';
import { readSchedule } from '../state/bucketRows.ts';
import { readGroup, readPending } from '../state/limiterRows.ts';
import { type PodRow, readPods, writeLedger } from '../state/podRows.ts';
import type { State } from '../state/state.ts';
import type { Rooms } from './inFlight.ts';
import { lateness } from './usableSlot.ts';

/** Pods that go on one slot: one, or those of a workload that wait together. */
export interface Unit {
  readonly pods: readonly PodRow[];
  /** A slot that others of the workload have already; without one the unit asks for a slot of its own. */
  readonly shared?: Reservation;
}

/** More members of one workload than this go in several parts. */
const largestPart = 200;

interface Search {
  readonly limiter: LimiterId;
  readonly epoch: number;
  /** Units that ask for slots. */
  readonly most: number;
  /** No unit begins after so many pods, and none grows beyond. */
  readonly mostPods: number;
  readonly rate: Rate;
  readonly now: Instant;
  readonly rooms: Rooms | undefined;
}

/**
 * A pod under several limiters goes at the earliest slot that any of them gives (KEP-5055, rate-limited revision). The slots that
 * the bucket is going to give are foreseen, so that none is spent on a pod that would not gain by it.
 */
export async function readCandidates(state: State, by: Search): Promise<readonly Unit[]> {
  const schedule = await readSchedule(state, by.limiter, by);
  if (!schedule) return [];
  const units: Unit[] = [];
  const met = new Set<string>();
  for await (const row of pendingRows(state, by)) {
    const asking = units.filter(({ shared }) => !shared).length;
    if (asking >= by.most || roomAfter(units, by) <= 0) break;
    const together = await readTogether(state, row, { ...by, met });
    for (const unit of unitsOf(together, { ...by, slot: schedule.first + asking * schedule.step })) {
      const pods = admitted(unit.pods, { ...by, mostPods: roomAfter(units, by) });
      if (pods.length > 0) units.push({ ...unit, pods });
    }
  }
  return units;
}

function roomAfter(units: readonly Unit[], { mostPods }: Search): number {
  return mostPods - units.reduce((sum, { pods }) => sum + pods.length, 0);
}

/** The first of them for whom there is room; what limits keep of a workload goes later. */
function admitted(pods: readonly PodRow[], { rooms, mostPods }: Pick<Search, 'rooms' | 'mostPods'>): readonly PodRow[] {
  const taken: PodRow[] = [];
  for (const row of pods) {
    if (taken.length >= mostPods || rooms?.has(row) === false) continue;
    rooms?.take(row);
    taken.push(row);
  }
  return taken;
}

async function* pendingRows(state: State, { limiter, most: limit, rooms }: Search): AsyncGenerator<PodRow> {
  let after: string | undefined;
  do {
    const page = await readPending(state, limiter, { limit, ...(after === undefined ? {} : { after }) });
    const found = await readPods(
      state,
      page.rows.map((one) => one.pod),
    );
    const rows = new Map(found.map((row) => [row.key, row]));
    await rooms?.look(found);
    for (const { pod } of page.rows) {
      const row = rows.get(pod);
      if (row) yield row;
    }
    after = page.next;
  } while (after !== undefined);
}

/** A pod alone, or with the members of its workload where it is the first of them that is met; then nobody for the others. */
async function readTogether(
  state: State,
  row: PodRow,
  { limiter, rooms, met }: Search & { readonly met: Set<string> },
): Promise<readonly PodRow[]> {
  const group = listingAt(row, limiter)?.group;
  if (group === undefined) return [row];
  if (met.has(group)) return [];
  met.add(group);
  const listed = await readGroup(state, limiter, { group, limit: largestPart });
  const others = await readPods(
    state,
    listed.map(({ pod }) => pod).filter((pod) => pod !== row.key),
  );
  // The pod itself may stand beyond the part that was read.
  const members = [row, ...others].filter((one) => listingAt(one, limiter)?.group === group);
  await rooms?.look(members);
  return members.toSorted((a, b) => compareText(placeOf(a, limiter), placeOf(b, limiter)));
}

interface Offered {
  readonly limiter: LimiterId;
  readonly epoch: number;
  readonly slot: Instant;
  readonly now: Instant;
}

/** Those who may share a slot of their group, and those who have to ask for one together. */
function unitsOf(together: readonly PodRow[], offered: Offered): readonly Unit[] {
  const ledgers = together.flatMap(({ ledger }) => ledger ?? []);
  const shared = sharedSlot(ledgers, { ...offered, lateness });
  const joining = together.filter((row) => shared !== undefined && mayShare(row, shared, offered));
  const asking = together.filter((row) => !joining.includes(row) && isCandidate(row, offered));
  return [...(shared ? [{ pods: joining, shared }] : []), { pods: asking }];
}

/** A slot counts for a pod that was due by then; see `planLedger`. */
function mayShare(row: PodRow, shared: Reservation, { limiter, now }: Offered): boolean {
  const dueAt = listingAt(row, limiter)?.dueAt;
  const isInTime = dueAt !== undefined && dueAt <= Math.max(shared.slot, shared.reservedAt);
  return isInTime && isCandidate(row, { limiter, slot: shared.slot, now });
}

function isCandidate(row: PodRow, offer: Omit<Offered, 'epoch'>): boolean {
  const { ledger } = row;
  return (
    !row.gone &&
    ledger?.podUid === row.uid &&
    (ledger.state === 'Pending' || ledger.state === 'Reserved') &&
    listingAt(row, offer.limiter) !== undefined &&
    gainsBy(reservationOf(row), offer)
  );
}

function listingAt({ ledger }: PodRow, limiter: LimiterId): Listing | undefined {
  return ledger?.listings.find((one) => one.limiter === limiter);
}

function placeOf(row: PodRow, limiter: LimiterId): string {
  const listing = listingAt(row, limiter);
  return row.ledger && listing ? placeAt(row.ledger, listing) : '';
}

function reservationOf({ ledger }: PodRow): Reservation | undefined {
  return ledger?.state === 'Reserved' ? ledger.reservation : undefined;
}

/** A lost race wastes the slot, which only makes the pace slower. */
export async function reserve(
  state: State,
  row: PodRow,
  by: { readonly reservation: Reservation; readonly now: Instant },
): Promise<PodRow | undefined> {
  const { reservation, now } = by;
  const { limiter, slot } = reservation;
  const listing = listingAt(row, limiter);
  if (!row.ledger || !listing || !isDue(listing.dueAt, now)) return undefined;
  if (!gainsBy(reservationOf(row), { limiter, slot, now })) return undefined;
  const ledger: Ledger = { ...row.ledger, state: 'Reserved', reservation };
  const written = await writeLedger(state, row, { ledger, now });
  return written.kind === 'Written' ? written.row : undefined;
}
