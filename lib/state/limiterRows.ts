// A limiter's partition: who waits, who may go, who is being deleted; and how the sweep knows of it.
import type { LimiterId } from '../model/eviction.ts';
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

/** A limiter that listed no pod for so long is forgotten, or every rule that ever was would be swept forever. */
const idle: Milliseconds = 60 * 60_000;

/** Rows of one page where no more than its name is kept of a limiter. */
const namesAtOnce = 1000;

/** The limiters that may list pods, a page at a time, ascending. */
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

/** Those of taints in slices; of others nothing is read. */
export async function readSliceLimiters(
  state: State,
  isOf: (limiter: LimiterId) => boolean,
): Promise<readonly LimiterId[]> {
  const found: LimiterId[] = [];
  for await (const page of limiterPages(state, { prefix: 'slice|' })) found.push(...page.filter(isOf));
  return found;
}

/** Which of some limiters may list pods. */
export async function registeredAmong(state: State, limiters: readonly LimiterId[]): Promise<readonly LimiterId[]> {
  const rows = await state.table.getMany(limiters.map((limiter) => limiterControlKey(state.cluster, limiter)));
  return rows.map(({ sk }) => sk);
}

/** Whether any pod may be listed anywhere. */
export async function hasLimiters(state: State): Promise<boolean> {
  return (await state.table.query({ pk: limitersPartition(state.cluster), limit: 1 })).rows.length > 0;
}

/** Limiters that no invocation works on, the first `limit` of them. */
export async function readUnheld(
  state: State,
  { now, limit }: { readonly now: Instant; readonly limit: number },
): Promise<readonly LimiterId[]> {
  const { rows } = await state.table.query({ pk: limitersPartition(state.cluster), limit });
  return rows.filter(({ leaseUntil }) => typeof leaseUntil !== 'number' || leaseUntil < now).map((row) => row.sk);
}

/**
 * Has a limiter that is due looked at again when it has to be, and forgets it where it has listed no pod for an hour. `NobodyDue`: no
 * pod of it can go now.
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

/** A step that lists a pod has written `usedAt` at most `rememberFor` before, so the condition sees it. */
async function forget(state: State, { pk, sk, usedAt }: Row, now: Instant): Promise<boolean> {
  if (typeof usedAt === 'number' && usedAt > now - idle) return false;
  const { rows, isSpread } = await readFront(state, sk);
  if (rows.length > 0) return false;
  // A rule's canary and what its limits count go with its generation and its UID.
  if (!sk.startsWith('rule|')) await Promise.all([forgetCanary(state, sk), endEpisode(state, sk)]);
  const when = usedAt === undefined ? absent('usedAt') : compare('usedAt', '=', usedAt as number);
  const gone: Write = { kind: 'Delete', key: { pk, sk }, when };
  if (!isSpread) return (await state.table.write(gone)).kind === 'Written';
  return (await state.table.transact([gone, ...endSpread(state, sk, now)])).kind === 'Written';
}

/** Whether any pod waits there, or is being deleted. */
export async function isListing(state: State, limiter: LimiterId): Promise<boolean> {
  return (await readFront(state, limiter)).rows.length > 0;
}

/** A step that listed a pod within `rememberFor` may not have written so to the row. */
function nextLook({ usedAt, dueAt, now }: { usedAt: Instant; dueAt: Instant; now: Instant }): Instant {
  const soon = now + lookedAtEvery;
  return now - usedAt < rememberFor + lookedAtEvery ? soon : Math.min(Math.max(dueAt, soon), now + idle);
}
