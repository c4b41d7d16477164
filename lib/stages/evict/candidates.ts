// Yields the due pods of a limiter in eviction order, page by page; the members of a group come as one unit.
import { placeAt } from '../../decide/line.ts';
import type { LimiterId } from '../../model/eviction.ts';
import { compareText } from '../../model/snapshot.ts';
import { type Instant, isDue, type Milliseconds } from '../../model/time.ts';
import { type PendingPlace, readGroup } from '../../state/pendingRows.ts';
import { type PodRow, readPods } from '../../state/podRows.ts';
import type { EvictDependencies, Turn } from '../../steps/step.ts';
import { openPage, type SeenPage, seePage } from './page.ts';
import type { ClaimRows } from './round.ts';

/** Members of a larger group are evicted in several units. */
const largestGroup = 200;

/** Rows of a page that are older than this are read again. */
const freshFor: Milliseconds = 1000;

/** Number of rows of a page that are read again together. */
const refreshedAtOnce = 16;

/** Pods that share one token: a single pod, or the pending members of a group. */
export interface Unit {
  readonly pods: readonly PodRow[];
  /** Claim rows read with the page. */
  readonly claimRows?: ClaimRows;
  readonly group?: string;
}

export interface Candidates {
  /** Starts to read the first page; writes nothing. */
  look(): void;
  /** Reads the first page for the first `next`; `next` itself reads the page of a spread list, once a gate admits pods. */
  load(): Promise<void>;
  /** `undefined` at the end of the list; the next call starts again at the first page. */
  next(isLeftOut: (row: PodRow) => boolean): Promise<Unit | undefined>;
  /** Puts a unit back for the next call of `next`. */
  giveBack(unit: Unit): void;
  /** The rest of the current page, and the claim rows of its pods. */
  readonly upcoming: readonly PodRow[];
  readonly claimRows: ClaimRows;
}

export function createCandidates(deps: EvictDependencies, { state }: Turn, limiter: LimiterId): Candidates {
  let page: readonly PodRow[] = [];
  let claimRows: ClaimRows = Promise.resolve([]);
  let readAt: Instant = 0;
  /** Rows of the page that were not part of the last refresh. */
  let old: ReadonlySet<PodRow> = new Set();
  let after: PendingPlace | undefined;
  let isEnd = false;
  let first: Promise<SeenPage> | undefined;
  let isLong = false;
  const glance = () => seePage(deps, state, { limiter, after: undefined, isGlance: true });
  /** Returns the early glance, if it is younger than one second and the list is not spread. */
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
  /** Returns a fresh row; reads the following rows of the page with it. */
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
      // If this read fails, the page is read again.
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
      // The first member of a group brings the others.
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

/** Whether, by its row, a pod may be evicted under a limiter. */
export function isCandidate(row: PodRow, by: { readonly limiter: LimiterId; readonly now: Instant }): boolean {
  const listing = listingAt(row, by.limiter);
  // A pod that is gone is also a candidate: its revalidation closes the ledger.
  const isOpen = row.ledger?.podUid === row.uid && row.ledger.state === 'Pending';
  return isOpen && listing !== undefined && isDue(listing.dueAt, by.now);
}

/** The pod and the members of its group that are pending; the pod itself may be beyond the limit of the query. */
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
