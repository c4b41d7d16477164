// A limiter's partition: who waits, who may go, who is being deleted; and how the sweep knows of it.
import type { LimiterId } from '../model/eviction.ts';
import type { ClusterId } from '../model/identity.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import { absent, compare, queryAll, type Row } from '../table.ts';
import { forgetCanary } from './canaryRows.ts';
import { dueAttributes } from './dueIndex.ts';
import { groupPartition, limiterControlKey, limiterPartition, limitersPartition } from './keys.ts';
import { pendingPrefix, standingOf, waitingPrefix, waitingUpTo } from './listingRows.ts';
import { endEpisode } from './recordRows.ts';
import type { State } from './state.ts';

/** One pod as a limiter lists it; its own row has the truth. */
export interface Listed {
  readonly pod: string;
  readonly uid: string;
  readonly namespace: string;
  readonly sk: string;
}

/** When this process last wrote that a limiter is in use. */
const known = new Map<string, Instant>();

/** How long a process relies on what it wrote; far below `idle`. */
const rememberFor: Milliseconds = 10 * 60_000;

/** A limiter that listed no pod for so long is forgotten, or every rule that ever was would be swept forever. */
const idle: Milliseconds = 60 * 60_000;

/** While pods are listed: by the next sweep. */
const lookedAtEvery: Milliseconds = 30_000;

/** Makes limiters known and has them looked at, before pods are listed at them. A lost memory only repeats the write. */
export async function registerLimiters(state: State, limiters: readonly LimiterId[], now: Instant): Promise<void> {
  const fresh = [...new Set(limiters)].filter(
    (limiter) => (known.get(registration(state.cluster, limiter)) ?? 0) <= now - rememberFor,
  );
  await Promise.all(
    fresh.map(async (limiter) => {
      const key = limiterControlKey(state.cluster, limiter);
      const set = { usedAt: now, ...dueAttributes(state, key, now + lookedAtEvery) };
      await state.table.write({ kind: 'Update', key, change: { set } });
      known.set(registration(state.cluster, limiter), now);
    }),
  );
}

function registration(cluster: ClusterId, limiter: LimiterId): string {
  return `${cluster}#${limiter}`;
}

export async function readLimiters(state: State): Promise<readonly LimiterId[]> {
  return (await queryAll(state.table, { pk: limitersPartition(state.cluster) })).map((row) => row.sk);
}

/** Limiters that no invocation works on, the first `limit` of them. */
export async function readUnheld(
  state: State,
  { now, limit }: { readonly now: Instant; readonly limit: number },
): Promise<readonly LimiterId[]> {
  const { rows } = await state.table.query({ pk: limitersPartition(state.cluster), limit });
  return rows.filter(({ leaseUntil }) => typeof leaseUntil !== 'number' || leaseUntil < now).map((row) => row.sk);
}

/** Whether any pod may go now. */
export async function hasPending(state: State, limiter: LimiterId): Promise<boolean> {
  const range = { pk: limiterPartition(state.cluster, limiter), prefix: pendingPrefix, limit: 1 };
  return (await state.table.query(range)).rows.length > 0;
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
  const [row, { rows }] = await Promise.all([
    state.table.get(key),
    state.table.query({ pk: limiterPartition(state.cluster, limiter), limit: 1 }),
  ]);
  if (!row) return rows.length > 0 ? 'PodsDue' : 'NobodyDue';
  // Those who may go are listed before those who wait.
  const first = rows[0] && standingOf(rows[0].sk);
  const dueAt = first?.kind === 'Waiting' ? first.dueAt : now;
  const usedAt = typeof row.usedAt === 'number' ? row.usedAt : now;
  if (!first && (await forget(state, row, now))) return 'NobodyDue';
  const set = dueAttributes(state, key, nextLook({ usedAt, dueAt: first ? dueAt : usedAt + idle, now }));
  const when = row.usedAt === undefined ? absent('usedAt') : compare('usedAt', '=', usedAt);
  await state.table.write({ kind: 'Update', key, change: { set }, when });
  return first && dueAt <= now ? 'PodsDue' : 'NobodyDue';
}

/** A step that lists a pod has written `usedAt` at most `rememberFor` before, so the condition sees it. */
async function forget(state: State, { pk, sk, usedAt }: Row, now: Instant): Promise<boolean> {
  if (typeof usedAt === 'number' && usedAt > now - idle) return false;
  if (await isListing(state, sk)) return false;
  // A rule's canary and what its limits count go with its generation and its UID.
  if (!sk.startsWith('rule|')) await Promise.all([forgetCanary(state, sk), endEpisode(state, sk)]);
  const when = usedAt === undefined ? absent('usedAt') : compare('usedAt', '=', usedAt as number);
  return (await state.table.write({ kind: 'Delete', key: { pk, sk }, when })).kind === 'Written';
}

/** Whether any pod waits there, or is being deleted. */
export async function isListing(state: State, limiter: LimiterId): Promise<boolean> {
  return (await state.table.query({ pk: limiterPartition(state.cluster, limiter), limit: 1 })).rows.length > 0;
}

/** Pods that may go now, in eviction order. */
export async function readPending(
  state: State,
  limiter: LimiterId,
  page: { limit: number; after?: string },
): Promise<{ rows: readonly Listed[]; next?: string }> {
  const found = await state.table.query({
    pk: limiterPartition(state.cluster, limiter),
    prefix: pendingPrefix,
    ...page,
  });
  const rows = found.rows.map(listed);
  return found.next === undefined ? { rows } : { rows, next: found.next };
}

/** Pods of one workload that may go now, in no order that matters. */
export async function readGroup(
  state: State,
  limiter: LimiterId,
  by: { readonly group: string; readonly limit: number },
): Promise<readonly Listed[]> {
  const { rows } = await state.table.query({ pk: groupPartition(state.cluster, limiter, by.group), limit: by.limit });
  return rows.map(listed);
}

/** Waiting pods whose time has come by `now`. */
export async function readDue(
  state: State,
  limiter: LimiterId,
  by: { now: Instant; limit: number },
): Promise<readonly Listed[]> {
  const range = {
    pk: limiterPartition(state.cluster, limiter),
    from: waitingPrefix,
    to: waitingUpTo(by.now),
    limit: by.limit,
  };
  return (await state.table.query(range)).rows.map(listed);
}

/** A step that listed a pod within `rememberFor` may not have written so to the row. */
function nextLook({ usedAt, dueAt, now }: { usedAt: Instant; dueAt: Instant; now: Instant }): Instant {
  const soon = now + lookedAtEvery;
  return now - usedAt < rememberFor + lookedAtEvery ? soon : Math.min(Math.max(dueAt, soon), now + idle);
}

/** A page of the pods that a limiter lists. */
export async function readListedPage(
  state: State,
  limiter: LimiterId,
  after: string | undefined,
): Promise<{ readonly rows: readonly Listed[]; readonly next?: string }> {
  const range = { pk: limiterPartition(state.cluster, limiter), limit: 100 };
  const page = await state.table.query(after === undefined ? range : { ...range, after });
  return { ...page, rows: page.rows.map(listed) };
}

/** Every pod that a limiter lists, those that are being deleted too: what its taint still has to evict. */
export async function readListed(state: State, limiter: LimiterId): Promise<readonly Listed[]> {
  return (await queryAll(state.table, { pk: limiterPartition(state.cluster, limiter) })).map(listed);
}

/** The same, a page at a time. */
export async function* listedPages(state: State, limiter: LimiterId): AsyncGenerator<readonly Listed[]> {
  let after: string | undefined;
  do {
    const range = { pk: limiterPartition(state.cluster, limiter), limit: 100 };
    const page = await state.table.query(after === undefined ? range : { ...range, after });
    yield page.rows.map(listed);
    after = page.next;
  } while (after !== undefined);
}

/** The pods that any of some limiters lists, each once. */
export async function readListedOf(state: State, limiters: readonly LimiterId[]): Promise<readonly Listed[]> {
  const pages = await Promise.all(limiters.map((limiter) => readListed(state, limiter)));
  return [...new Map(pages.flat().map((one) => [one.uid, one])).values()];
}

function listed(row: Row): Listed {
  return { pod: row.pod as string, uid: row.uid as string, namespace: row.ns as string, sk: row.sk };
}
