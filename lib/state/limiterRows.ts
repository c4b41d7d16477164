// The registered limiters of a cluster: which may list pods, and when the sweep processes each.

import type { LimiterId } from '../model/eviction.ts';
import { isOfRule } from '../model/rule.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import { absent, compare, type Row, type Write } from '../table.ts';
import { forgetCanary } from './canaryRows.ts';
import { dueAttributes } from './dueIndex.ts';
import { limiterControlKey, limitersPartition } from './keys.ts';
import { type ListingRow, standingOf } from './listingRows.ts';
import { readFront } from './listPages.ts';
import { endEpisode } from './recordRows.ts';
import { endSpread, lookedAtEvery, rememberFor } from './spreadList.ts';
import type { State } from './state.ts';

/** A limiter without listed pods is forgotten after this time; otherwise the sweep would process every rule that ever existed. */
const idle: Milliseconds = 60 * 60_000;

/** Rows per page where only the name of each limiter is kept. */
const namesAtOnce = 1000;

/** The limiters that may list pods, page by page, in ascending order. */
export async function* limiterPages(
  state: State,
  by: { readonly prefix: string } | { readonly from: LimiterId | undefined },
): AsyncGenerator<readonly LimiterId[]> {
  const pk = limitersPartition(state.cluster);
  const range =
    'prefix' in by ? { pk, prefix: by.prefix } : { pk, ...(by.from === undefined ? {} : { from: by.from }) };
  let after: string | undefined;
  do {
    const page = await state.table.query({ ...range, limit: namesAtOnce, ...(after === undefined ? {} : { after }) });
    yield page.rows.map(({ sk }) => sk);
    after = page.next;
  } while (after !== undefined);
}

/** Limiters of slice taints; reads no others. */
export async function readSliceLimiters(
  state: State,
  isOf: (limiter: LimiterId) => boolean,
): Promise<readonly LimiterId[]> {
  const found: LimiterId[] = [];
  for await (const page of limiterPages(state, { prefix: 'slice|' })) found.push(...page.filter(isOf));
  return found;
}

/** Those of the given limiters that may list pods. */
export async function registeredAmong(state: State, limiters: readonly LimiterId[]): Promise<readonly LimiterId[]> {
  const rows = await state.table.getMany(limiters.map((limiter) => limiterControlKey(state.cluster, limiter)));
  return rows.map(({ sk }) => sk);
}

/** Whether any limiter may list pods. */
export async function hasLimiters(state: State): Promise<boolean> {
  return (await state.table.query({ pk: limitersPartition(state.cluster), limit: 1 })).rows.length > 0;
}

/** Limiters without a lease, among the first `limit`. */
export async function readUnheld(
  state: State,
  { now, limit }: { readonly now: Instant; readonly limit: number },
): Promise<readonly LimiterId[]> {
  const { rows } = await state.table.query({ pk: limitersPartition(state.cluster), limit });
  return rows.filter(({ leaseUntil }) => typeof leaseUntil !== 'number' || leaseUntil < now).map((row) => row.sk);
}

/**
 * Sets the next due time of a due limiter, and forgets the limiter if it has listed no pod for an hour. `NobodyDue`: none of its
 * pods is due.
 */
export async function postponeLimiter(
  state: State,
  limiter: LimiterId,
  now: Instant,
): Promise<'PodsDue' | 'NobodyDue'> {
  const key = limiterControlKey(state.cluster, limiter);
  const isNow = (at: Row) => dueOf(at, now) <= now;
  const [row, { rows }] = await Promise.all([state.table.get(key), readFront(state, limiter, isNow)]);
  const [first] = rows;
  if (!row) return first ? 'PodsDue' : 'NobodyDue';
  const dueAt = Math.min(...rows.map((one) => dueOf(one, now)));
  const usedAt = typeof row.usedAt === 'number' ? row.usedAt : now;
  if (!first && (await forget(state, row, now))) return 'NobodyDue';
  const set = dueAttributes(state, key, nextLook({ usedAt, dueAt: first ? dueAt : usedAt + idle, now }));
  const when = row.usedAt === undefined ? absent('usedAt') : compare('usedAt', '=', usedAt);
  await state.table.write({ kind: 'Update', key, change: { set }, when });
  return first && dueAt <= now ? 'PodsDue' : 'NobodyDue';
}

function dueOf(row: Row, now: Instant): Instant {
  const standing = standingOf(row as ListingRow & Row);
  return standing.kind === 'Waiting' ? standing.dueAt : now;
}

/** A step that lists a pod wrote `usedAt` at most `rememberFor` before, so the condition notices it. */
async function forget(state: State, { pk, sk, usedAt }: Row, now: Instant): Promise<boolean> {
  if (typeof usedAt === 'number' && usedAt > now - idle) return false;
  const { rows, isSpread } = await readFront(state, sk);
  if (rows.length > 0) return false;
  // For rules, canary and counts are kept per generation and UID, so only those of slice taints are reset here.
  if (!isOfRule(sk)) await Promise.all([forgetCanary(state, sk), endEpisode(state, sk)]);
  const when = usedAt === undefined ? absent('usedAt') : compare('usedAt', '=', usedAt as number);
  const gone: Write = { kind: 'Delete', key: { pk, sk }, when };
  if (!isSpread) return (await state.table.write(gone)).kind === 'Written';
  return (await state.table.transact([gone, ...endSpread(state, sk, now)])).kind === 'Written';
}

/** Whether any pod is pending or being deleted there. */
export async function isListing(state: State, limiter: LimiterId): Promise<boolean> {
  return (await readFront(state, limiter)).rows.length > 0;
}

/** A step that listed a pod within `rememberFor` may not have updated `usedAt`. */
function nextLook({ usedAt, dueAt, now }: { usedAt: Instant; dueAt: Instant; now: Instant }): Instant {
  const soon = now + lookedAtEvery;
  return now - usedAt < rememberFor + lookedAtEvery ? soon : Math.min(Math.max(dueAt, soon), now + idle);
}
