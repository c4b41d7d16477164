// One page of a limiter's list. `seePage` only reads; `openPage`, for the lease holder, moves due pods and deletes stale listings.
import type { LimiterId } from '../../model/eviction.ts';
import type { Instant } from '../../model/time.ts';
import { readClaims } from '../../state/claimRows.ts';
import type { Listed } from '../../state/listedRows.ts';
import { type ListingRow, listingRowsOf } from '../../state/listingRows.ts';
import { partitionOf } from '../../state/listKeys.ts';
import { placeListings } from '../../state/moveListings.ts';
import { type PendingPage, type PendingPlace, readDue, readPending } from '../../state/pendingRows.ts';
import { type PodRow, readPods, writeLedger } from '../../state/podRows.ts';
import { mapParallel } from '../../steps/mapParallel.ts';
import type { EvictDependencies, Turn } from '../../steps/step.ts';
import { claimKeysOf } from './ownReads.ts';
import type { ClaimRows } from './round.ts';

/** Maximum pods per page. */
const pageSize = 50;

/** Maximum waiting pods moved per page. */
const mostDue = 100;

const parallelWrites = 8;

/** A page of listings. `rows` is present where no waiting pod must be moved first. */
export interface SeenPage {
  readonly limiter: LimiterId;
  readonly after: PendingPlace | undefined;
  readonly at: Instant;
  readonly due: readonly Listed[];
  readonly pending: PendingPage;
  readonly rows?: Rows;
}

interface Rows {
  readonly pods: readonly PodRow[];
  readonly claimRows: ClaimRows;
}

interface Page extends Rows {
  readonly readAt: Instant;
  /** Where the next page begins. */
  readonly next: PendingPlace | undefined;
}

/** `isGlance`: does not read the other partitions of a spread list; the step that evicts reads them. */
export async function seePage(
  deps: EvictDependencies,
  state: Turn['state'],
  { isGlance = false, ...of }: Pick<SeenPage, 'limiter' | 'after'> & { readonly isGlance?: boolean },
): Promise<SeenPage> {
  const at = deps.clock.now();
  const [due, pending] = await Promise.all([
    of.after === undefined ? readDue(state, of.limiter, { now: at, limit: mostDue, isGlance }) : [],
    ask(state, of, isGlance),
  ]);
  const seen = { ...of, at, due, pending };
  return due.length > 0 ? seen : { ...seen, rows: await readRows(state, pending.rows) };
}

export async function openPage(deps: EvictDependencies, state: Turn['state'], seen: SeenPage): Promise<Page> {
  if (seen.due.length > 0) await promote(deps, state, seen.due);
  const { rows: listed, next } = seen.due.length > 0 ? await ask(state, seen) : seen.pending;
  const { pods: found, claimRows } = seen.rows ?? (await readRows(state, listed));
  const pods = await inOrder(deps, state, { limiter: seen.limiter, listed, found });
  return { pods, claimRows, readAt: seen.at, next };
}

function ask(state: Turn['state'], { limiter, after }: Pick<SeenPage, 'limiter' | 'after'>, isGlance = false) {
  return readPending(state, limiter, { limit: pageSize, after, isGlance });
}

/** Reads the rows of listed pods and, in parallel, of the claims that the listings name. */
async function readRows(state: Turn['state'], listed: readonly Listed[]): Promise<Rows> {
  const named = new Set(listed.flatMap(({ claims = [] }) => claims));
  const [pods, known] = await Promise.all([
    readPods(
      state,
      listed.map(({ pod }) => pod),
    ),
    readClaims(state, [...named]),
  ]);
  const others = new Set(pods.flatMap(({ object }) => claimKeysOf(object)).filter((key) => !named.has(key)));
  const claimRows = readClaims(state, [...others]).then(({ rows }) => [...known.rows, ...rows]);
  // Readers of `claimRows` get the error; where no pod is evicted, there is no reader.
  claimRows.catch(() => undefined);
  return { pods, claimRows };
}

/**
 * Returns the pods in list order. A listing that its pod's row does not name is deleted, or added to the row if the ledger requires
 * it: another step may have changed the row since the page was read.
 */
async function inOrder(
  deps: EvictDependencies,
  state: Turn['state'],
  by: { readonly limiter: LimiterId; readonly listed: readonly Listed[]; readonly found: readonly PodRow[] },
): Promise<readonly PodRow[]> {
  const { limiter, listed, found } = by;
  const rows = new Map(found.map((row) => [row.key, row]));
  const now = deps.clock.now();
  const isAt = (at: Listed) => (one: ListingRow) =>
    one.limiter === limiter && one.group === undefined && one.sk === at.sk && one.shard === at.shard;
  for (const at of listed) {
    const row = rows.get(at.pod);
    if (!row || row.ledger?.state === 'Deleting' || row.listed.some(isAt(at))) continue;
    const calledFor = listingRowsOf(row.ledger?.podUid === row.uid ? row.ledger : undefined, now);
    const isWanted = placeListings(state, row, { rows: calledFor, now }).some(isAt(at));
    const key = { pk: partitionOf(state.cluster, { ...at, limiter }), sk: at.sk };
    const removal = isWanted ? {} : { with: [{ kind: 'Delete', key }] as const };
    await writeLedger(state, row, { ledger: undefined, now, ...removal });
  }
  return listed.flatMap(({ pod }) => rows.get(pod) ?? []);
}

/** Moves waiting rows that are due to the pending rows. */
async function promote(deps: EvictDependencies, state: Turn['state'], due: readonly Listed[]): Promise<void> {
  const now = deps.clock.now();
  const rows = await readPods(
    state,
    due.map((one) => one.pod),
  );
  await mapParallel(rows, parallelWrites, (row) => writeLedger(state, row, { ledger: undefined, now }));
}
