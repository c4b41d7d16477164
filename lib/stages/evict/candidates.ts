// Due pods of a limiter in eviction order, a page at a time; members of a workload that go together come as one.
import { placeAt } from '../../decide/line.ts';
import type { LimiterId } from '../../model/eviction.ts';
import { compareText } from '../../model/snapshot.ts';
import { type Instant, isDue, type Milliseconds } from '../../model/time.ts';
import { readClaims } from '../../state/claimRows.ts';
import { type Listed, readDue, readGroup, readPending } from '../../state/limiterRows.ts';
import { type PodRow, readPods, writeLedger } from '../../state/podRows.ts';
import { mapParallel } from '../../steps/mapParallel.ts';
import type { EvictDependencies, Turn } from '../../steps/step.ts';
import { claimKeysOf } from './ownReads.ts';
import type { ClaimRows } from './round.ts';

/** Pods of one page. */
const pageSize = 50;

/** More members of one workload than this go in several parts. */
const largestGroup = 200;

const parallelWrites = 8;

/** Rows of a page that were read longer ago are read again. */
const freshFor: Milliseconds = 1000;

/** Pods that continue one token: one, or those of a workload that wait together. */
export interface Unit {
  readonly pods: readonly PodRow[];
  /** As they were when the page was read. */
  readonly claimRows?: ClaimRows;
  readonly group?: string;
}

export interface Candidates {
  /** Reads the first page, for the first `next`. */
  load(): Promise<void>;
  /** `undefined` at the end of the list; the next call begins with the first page again. */
  next(isLeftOut: (row: PodRow) => boolean): Promise<Unit | undefined>;
  /** For the next call. */
  giveBack(unit: Unit): void;
  /** The rest of the page in memory. */
  readonly upcoming: readonly PodRow[];
}

export function createCandidates(deps: EvictDependencies, { state }: Turn, limiter: LimiterId): Candidates {
  let page: readonly PodRow[] = [];
  let claimRows: ClaimRows = Promise.resolve([]);
  let readAt: Instant = 0;
  let after: string | undefined;
  let isEnd = false;
  const readPage = async () => {
    const now = deps.clock.now();
    const ask = () => readPending(state, limiter, { limit: pageSize, ...(after === undefined ? {} : { after }) });
    const [due, pending] = await Promise.all([
      after === undefined ? readDue(state, limiter, { now, limit: 100 }) : [],
      ask(),
    ]);
    if (due.length > 0) await promote(deps, state, due);
    const found = due.length > 0 ? await ask() : pending;
    page = await rowsOf(deps, state, { limiter, listed: found.rows });
    const claims = [...new Set(page.flatMap(({ object }) => claimKeysOf(object)))];
    claimRows = readClaims(state, claims).then(({ rows }) => rows);
    // Readers of the rows get the error; where no pod is evicted there are none.
    claimRows.catch(() => undefined);
    readAt = now;
    after = found.next;
    isEnd = found.next === undefined;
  };
  const mayGo = (row: PodRow, isLeftOut: (row: PodRow) => boolean) =>
    isCandidate(row, { limiter, now: deps.clock.now() }) && !isLeftOut(row);
  const refresh = async (rows: readonly PodRow[]) => {
    const age = deps.clock.now() - readAt;
    if (age >= 0 && age < freshFor) return rows;
    return readPods(
      state,
      rows.map(({ key }) => key),
    );
  };
  const unitOf = async (row: PodRow, isLeftOut: (row: PodRow) => boolean): Promise<Unit | undefined> => {
    const group = listingAt(row, limiter)?.group;
    const members = group === undefined ? await refresh([row]) : await readMembers(state, row, { limiter, group });
    const pods = members.filter((one) => mayGo(one, isLeftOut));
    if (pods.length === 0) return undefined;
    return group === undefined ? { pods, claimRows } : { pods, group };
  };
  return {
    load: readPage,
    get upcoming() {
      return page;
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

/** In the order of the list. A listing that its pod's ledger does not call for is removed. */
async function rowsOf(
  deps: EvictDependencies,
  state: Turn['state'],
  { limiter, listed }: { readonly limiter: LimiterId; readonly listed: readonly Listed[] },
): Promise<readonly PodRow[]> {
  const found = await readPods(
    state,
    listed.map(({ pod }) => pod),
  );
  const rows = new Map(found.map((row) => [row.key, row]));
  const now = deps.clock.now();
  const isLeft = (row: PodRow, sk: string) =>
    row.ledger?.state !== 'Deleting' && !row.listed.some((one) => one.limiter === limiter && one.sk === sk);
  for (const { pod, sk } of listed) {
    const row = rows.get(pod);
    if (row && isLeft(row, sk))
      await writeLedger(state, { ...row, listed: [...row.listed, { limiter, sk }] }, { ledger: undefined, now });
  }
  return listed.flatMap(({ pod }) => rows.get(pod) ?? []);
}

/** Waiting rows whose time has come move among the pending ones. */
async function promote(deps: EvictDependencies, state: Turn['state'], due: readonly Listed[]): Promise<void> {
  const now = deps.clock.now();
  const rows = await readPods(
    state,
    due.map((one) => one.pod),
  );
  await mapParallel(rows, parallelWrites, (row) => writeLedger(state, row, { ledger: undefined, now }));
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
