// Which pods a limiter may give slots to, in order: those without one, and those that another limiter would let go later.
import { sharedSlot } from '../decide/group.ts';
import { placeAt } from '../decide/line.ts';
import { gainsBy } from '../decide/pace.ts';
import type { LimiterId, Rate, Reservation } from '../model/eviction.ts';
import { compareText } from '../model/snapshot.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import { readSchedule } from '../state/bucketRows.ts';
import { readGroup, readPending } from '../state/limiterRows.ts';
import { type PodRow, readPods } from '../state/podRows.ts';
import type { State } from '../state/state.ts';
import type { Vacancy } from '../state/vacancyRows.ts';
import type { Rooms } from './inFlight.ts';
import { leapsTo, listingAt, reservationOf } from './reserve.ts';
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
  /** Slots that are given before any of the bucket, ascending. */
  readonly vacant: readonly Vacancy[];
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
    for (const unit of unitsOf(together, { ...by, ...foreseen(asking, { ...schedule, vacant: by.vacant }) })) {
      const pods = admitted(unit.pods, { ...by, mostPods: roomAfter(units, by) });
      if (pods.length > 0) units.push({ ...unit, pods });
    }
  }
  return units;
}

/** The slot that the next unit is going to get. */
function foreseen(
  asking: number,
  {
    first,
    step,
    vacant,
  }: { readonly first: Instant; readonly step: Milliseconds; readonly vacant: readonly Vacancy[] },
): Pick<Offered, 'slot' | 'isVacant'> {
  const left = vacant[asking];
  return left
    ? { slot: left.slot, isVacant: true }
    : { slot: first + (asking - vacant.length) * step, isVacant: false };
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
  /** Somebody left it. */
  readonly isVacant: boolean;
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
  return isInTime && isCandidate(row, { limiter, slot: shared.slot, isVacant: false, now });
}

function isCandidate(row: PodRow, offer: Omit<Offered, 'epoch'>): boolean {
  const { ledger } = row;
  return (
    !row.gone &&
    ledger?.podUid === row.uid &&
    (ledger.state === 'Pending' || ledger.state === 'Reserved') &&
    listingAt(row, offer.limiter) !== undefined &&
    (offer.isVacant ? leapsTo(reservationOf(row), offer) : gainsBy(reservationOf(row), offer))
  );
}

function placeOf(row: PodRow, limiter: LimiterId): string {
  const listing = listingAt(row, limiter);
  return row.ledger && listing ? placeAt(row.ledger, listing) : '';
}
