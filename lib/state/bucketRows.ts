// Token buckets of limiters and of a whole cluster; one conditional write takes tokens.
import { clusterRate, type Taken, takeTokens } from '../decide/bucket.ts';
import type { Bucket, Rate } from '../model/eviction.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import { absent, compare, type Key, type Row, type Write } from '../table.ts';
import { bucketKey, clusterBucketKey } from './keys.ts';
import type { State } from './state.ts';

/** A bucket that has been full this long needs no row: a missing row means a full bucket. */
const idleSeconds = 24 * 3600;

/** An edit later than this after the one before gives one burst. */
const latestSeconds = 30 * 24 * 3600;

/** Maximum lost races per call; each means that another invocation took tokens, and the next attempt sees the rest. */
const attempts = 8;

/** A bucket's row as last read or written. */
interface Seen {
  readonly bucket?: Bucket;
  readonly ver: number;
}

/** The buckets after the last take, so that the next one needs no read. */
export interface Buckets {
  readonly own: Seen;
  readonly cluster?: Seen;
}

export interface TokenRequest {
  /** See `bucketNameOf`: an object that is created again under its name keeps its bucket. */
  readonly name: string;
  readonly rate: Rate;
  readonly now: Instant;
  readonly wanted: number;
  /** Take no token that is later than this from `now`. */
  readonly ahead: Milliseconds;
  /** Evictions per second of the whole cluster, a limit for every token; absent: no limit. */
  readonly limit?: number | undefined;
  /** If absent, the buckets are read. */
  readonly seen?: Buckets | undefined;
}

export interface TokensTaken {
  /** In ascending order; tokens up to `now` may be used at once. */
  readonly tokens: readonly Instant[];
  /** When the following token becomes available; absent where none ever does (a rate or limit of 0). */
  readonly next?: Instant;
  readonly seen: Buckets;
}

/** Takes up to `wanted` tokens. One transaction writes both buckets, so that no token is given twice, or lost in a crash. */
export async function takeFromBucket(state: State, request: TokenRequest): Promise<TokensTaken> {
  let seen = request.seen ?? (await firstSeen(state, request));
  for (let attempt = 0; attempt < attempts; attempt++) {
    const taken = planTake(request, seen);
    const writes = writesOf(state, request, { seen, taken });
    const told = taken.next === undefined ? {} : { next: taken.next };
    if (writes.length === 0) return { tokens: [], ...told, seen };
    const written = await write(state, writes);
    if (written === 'Written') return { tokens: taken.tokens, ...told, seen: after(seen, taken) };
    seen = written === 'Lost' ? await readBuckets(state, request) : { ...seen, own: seenOf(written) };
  }
  return { tokens: [], next: request.now, seen };
}

/** A refused write of a single row returns that row, so often no read is needed before it. */
async function firstSeen(state: State, request: TokenRequest): Promise<Buckets> {
  if (request.limit === undefined && editedOf(request.name) === undefined) return { own: { ver: 0 } };
  return readBuckets(state, request);
}

/**
 * A limiter with its rate in its name has a new bucket after an edit of the rate. It begins with what the bucket before the edit has
 * left, else each edit would give a burst. Returns the name of the row that names that bucket; `undefined` for all other limiters.
 */
function editedOf(name: string): string | undefined {
  const parts = name.split('|');
  return parts[0] === 'slice' && parts.length === 6 ? [...parts.slice(0, 5), 'latest'].join('|') : undefined;
}

/** Puts unused tokens back if no other invocation has taken any since; otherwise they are lost, and the rate is lower. */
export async function returnToBucket(
  state: State,
  { name, count, seen }: { readonly name: string; readonly count: number; readonly seen: Buckets },
): Promise<void> {
  const less = (before: Seen | undefined, key: Key): readonly Write[] => {
    const { bucket, ver } = before ?? { ver: 0 };
    return bucket ? [updateOf(key, { ...bucket, tat: bucket.tat - count * bucket.period }, ver)] : [];
  };
  const writes = [
    ...less(seen.own, bucketKey(state.cluster, name)),
    ...less(seen.cluster, clusterBucketKey(state.cluster)),
  ];
  if (writes.length > 0) await write(state, writes);
}

/** When the next tokens of a limiter become available, for display and for delayed messages; takes none. */
export async function readTokens(
  state: State,
  request: Omit<TokenRequest, 'seen'>,
): Promise<Pick<TokensTaken, 'tokens' | 'next'>> {
  const { tokens, next } = planTake(request, await readBuckets(state, request));
  return next === undefined ? { tokens } : { tokens, next };
}

/** The bucket of one limiter; `undefined` before its first token. */
export async function readBucket({ table, cluster }: State, name: string): Promise<Bucket | undefined> {
  return seenOf(await table.get(bucketKey(cluster, name))).bucket;
}

function planTake({ rate, now, wanted, ahead, limit }: TokenRequest, seen: Buckets): Taken {
  if (limit !== undefined && !(limit > 0)) return { tokens: [] };
  const cluster = limit === undefined ? {} : { cluster: { rate: clusterRate(limit), bucket: seen.cluster?.bucket } };
  return takeTokens({ rate, bucket: seen.own.bucket, ...cluster, now, wanted, ahead });
}

/** Without tokens there is no write, unless the rate has changed: then the current debt must be stored. */
function writesOf(
  state: State,
  { name, now }: TokenRequest,
  { seen, taken }: { readonly seen: Buckets; readonly taken: Taken },
): readonly Write[] {
  const isUsed = taken.tokens.length > 0;
  const moved = (before: Seen | undefined, next: Bucket | undefined, key: Key) => {
    const isRepriced = before?.bucket !== undefined && before.bucket.period !== next?.period;
    return next && (isUsed || isRepriced) ? [updateOf(key, next, before?.ver ?? 0)] : [];
  };
  const own = moved(seen.own, taken.bucket, bucketKey(state.cluster, name));
  const edited = seen.own.ver === 0 && own.length > 0 ? editedOf(name) : undefined;
  return [
    ...own,
    ...moved(seen.cluster, taken.cluster, clusterBucketKey(state.cluster)),
    ...(edited ? [latestOf(bucketKey(state.cluster, edited), name, now)] : []),
  ];
}

function latestOf(key: Key, latest: string, now: Instant): Write {
  const ttl = Math.ceil(now / 1000) + latestSeconds;
  return { kind: 'Update', key, change: { set: { latest, ttl } } };
}

function updateOf(key: Key, bucket: Bucket, ver: number): Write {
  const ttl = Math.ceil(Math.max(bucket.tat, bucket.at) / 1_000_000) + idleSeconds;
  const when = ver === 0 ? absent('ver') : compare('ver', '=', ver);
  return { kind: 'Update', key, change: { set: { ...bucket, ttl }, add: { ver: 1 } }, when };
}

/** Returns the row that failed its condition, if known. */
async function write(state: State, writes: readonly Write[]): Promise<'Written' | 'Lost' | Row> {
  const [first, ...others] = writes;
  if (!first || others.length > 0) return (await state.table.transact(writes)).kind;
  const result = await state.table.write(first);
  if (result.kind === 'Written') return 'Written';
  return result.row ?? 'Lost';
}

function after(seen: Buckets, taken: Taken): Buckets {
  const next = (before: Seen | undefined, bucket: Bucket | undefined): Seen =>
    bucket ? { bucket, ver: (before?.ver ?? 0) + 1 } : (before ?? { ver: 0 });
  const own = next(seen.own, taken.bucket);
  return taken.cluster ? { own, cluster: next(seen.cluster, taken.cluster) } : { own };
}

async function readBuckets(state: State, { name, limit }: TokenRequest): Promise<Buckets> {
  const { table, cluster } = state;
  const [row, shared] = await Promise.all([
    table.get(bucketKey(cluster, name)),
    limit === undefined ? undefined : table.get(clusterBucketKey(cluster)),
  ]);
  const found = seenOf(row);
  const bucket = found.ver === 0 ? await bucketBeforeEdit(state, name) : undefined;
  const own = bucket ? { ...found, bucket } : found;
  return limit === undefined ? { own } : { own, cluster: seenOf(shared) };
}

async function bucketBeforeEdit(state: State, name: string): Promise<Bucket | undefined> {
  const edited = editedOf(name);
  const latest = edited && (await state.table.get(bucketKey(state.cluster, edited)))?.latest;
  return typeof latest === 'string' ? readBucket(state, latest) : undefined;
}

function seenOf(row: Row | undefined): Seen {
  if (row?.ver === undefined) return { ver: 0 };
  const { tat, period, at, ver } = row as Row & Bucket & { readonly ver: number };
  return { bucket: { tat, period, at }, ver };
}
