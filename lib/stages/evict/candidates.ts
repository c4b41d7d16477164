// Due pods of a limiter in eviction order, a page at a time; members of a workload that go together come as one.
import { placeAt } from '../../decide/line.ts';
import type { LimiterId } from '../../model/eviction.ts';
import { compareText } from '../../model/snapshot.ts';
import { type Instant, isDue, type Milliseconds } from '../../model/time.ts';
import { type PendingPlace, readGroup } from '../../state/pendingRows.ts';
import { type PodRow, readPods } from '../../state/podRows.ts';
import type { EvictDependencies, Turn } from '../../steps/step.ts';
import { openPage, type SeenPage, seePage } from './page.ts';
import type { ClaimRows } from './round.ts';

/** More members of one workload than this go in several parts. */
const largestGroup = 200;

/** Rows of a page that were read longer ago are read again. */
const freshFor: Milliseconds = 1000;

/** Rows of a page that are read again together. */
const refreshedAtOnce = 16;

/** Pods that continue one token: one, or those of a workload that wait together. */
export interface Unit {
  readonly pods: readonly PodRow[];
  /** As they were when the page was read. */
  readonly claimRows?: ClaimRows;
  readonly group?: string;
}

export interface Candidates {
  /** Begins to read the first page; nothing is written. */
  look(): void;
  /** Reads the first page, for the first `next`; that of a list in many partitions is read by `next` itself, where a pod may go at all. */
  load(): Promise<void>;
  /** `undefined` at the end of the list; the next call begins with the first page again. */
  next(isLeftOut: (row: PodRow) => boolean): Promise<Unit | undefined>;
  /** For the next call. */
  giveBack(unit: Unit): void;
  /** The rest of the page in memory, and the claims of its pods. */
  readonly upcoming: readonly PodRow[];
  readonly claimRows: ClaimRows;
}

export function createCandidates(deps: EvictDependencies, { state }: Turn, limiter: LimiterId): Candidates {
  let page: readonly PodRow[] = [];
  let claimRows: ClaimRows = Promise.resolve([]);
  let readAt: Instant = 0;
  /** Rows that were not read then, but before. */
  let old: ReadonlySet<PodRow> = new Set();
  let after: PendingPlace | undefined;
  let isEnd = false;
  let first: Promise<SeenPage> | undefined;
  let isLong = false;
  const glance = () => seePage(deps, state, { limiter, after: undefined, isGlance: true });
  /** What was seen before is of use for a second, or for nothing. */
  const takeFirst = async (): Promise<SeenPage | undefined> => {
    const early = await first?.catch(() => undefined);
    first = undefined;
    const age = early ? deps.clock.now() - early.at : freshFor;
    isLong = early?.pending.isSpread ?? isLong;
    return age >= 0 && age < freshFor && !isLong ? early : undefined;
  };
  const readPage = async (early?: SeenPage) => {
    const found = await openPage(deps, state, early ?? (await seePage(deps, state, { limiter, after })));
    ({ pods: page, claimRows, readAt, next: after } = found);
    old = new Set();
    isEnd = after === undefined;
  };
  const mayGo = (row: PodRow, isLeftOut: (row: PodRow) => boolean) =>
    isCandidate(row, { limiter, now: deps.clock.now() }) && !isLeftOut(row);
  /** The row as it was lately; those behind it are read with it. */
  const refresh = async (row: PodRow): Promise<PodRow | undefined> => {
    const age = deps.clock.now() - readAt;
    if (age >= 0 && age < freshFor && !old.has(row)) return row;
    const now = deps.clock.now();
    const asked = [row, ...page].slice(0, refreshedAtOnce);
    const read = await readPods(
      state,
      asked.map(({ key }) => key),
    );
    const found = new Map(read.map((one) => [one.key, one]));
    const behind = page.slice(asked.length - 1);
    page = [...asked.slice(1).flatMap(({ key }) => found.get(key) ?? []), ...behind];
    readAt = now;
    old = new Set(behind);
    return found.get(row.key);
  };
  const unitOf = async (row: PodRow, isLeftOut: (row: PodRow) => boolean): Promise<Unit | undefined> => {
    const group = listingAt(row, limiter)?.group;
    const fresh = group === undefined ? await refresh(row) : row;
    const members = group === undefined ? (fresh ? [fresh] : []) : await readMembers(state, row, { limiter, group });
    const pods = members.filter((one) => mayGo(one, isLeftOut));
    if (pods.length === 0) return undefined;
    return group === undefined ? { pods, claimRows } : { pods, group };
  };
  return {
    look() {
      const seen = glance();
      first = seen;
      // Read again where that fails.
      seen.catch(() => undefined);
    },
    async load() {
      [page, after, isEnd] = [[], undefined, false];
      const early = (await takeFirst()) ?? (isLong ? undefined : await glance());
      isLong = early?.pending.isSpread ?? isLong;
      if (early && !isLong) await readPage(early);
    },
    get upcoming() {
      return page;
    },
    get claimRows() {
      return claimRows;
    },
    giveBack({ pods, group }) {
      // Of a group the first one brings the others.
      page = [...(group === undefined ? pods : pods.slice(0, 1)), ...page];
    },
    async next(isLeftOut) {
      for (;;) {
        const [row, ...rest] = page;
        page = rest;
        const unit = row && mayGo(row, isLeftOut) ? await unitOf(row, isLeftOut) : undefined;
        if (unit) return unit;
        if (row) continue;
        if (isEnd) {
          isEnd = false;
          return undefined;
        }
        await readPage();
      }
    },
  };
}

export function listingAt({ ledger }: PodRow, limiter: LimiterId) {
  return ledger?.listings.find((one) => one.limiter === limiter);
}

/** Whether a row says that its pod may go under a limiter. */
export function isCandidate(row: PodRow, by: { readonly limiter: LimiterId; readonly now: Instant }): boolean {
  const listing = listingAt(row, by.limiter);
  // One that is gone is closed by its revalidation.
  const isOpen = row.ledger?.podUid === row.uid && row.ledger.state === 'Pending';
  return isOpen && listing !== undefined && isDue(listing.dueAt, by.now);
}

/** The pod and the members of its workload that may go with it; the pod itself may be beyond the part that was read. */
async function readMembers(
  state: Turn['state'],
  row: PodRow,
  { limiter, group }: { readonly limiter: LimiterId; readonly group: string },
): Promise<readonly PodRow[]> {
  const listed = await readGroup(state, limiter, { group, limit: largestGroup });
  const rows = await readPods(state, [...new Set([row.key, ...listed.map(({ pod }) => pod)])]);
  const members = rows.filter((one) => listingAt(one, limiter)?.group === group);
  return members.toSorted((a, b) => compareText(placeOf(a, limiter), placeOf(b, limiter)));
}

function placeOf(row: PodRow, limiter: LimiterId): string {
  const listing = listingAt(row, limiter);
  return row.ledger && listing ? placeAt(row.ledger, listing) : '';
}
