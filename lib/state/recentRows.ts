// The last evictions of a cluster, newest first, for operators and charts that do not know the pods.
import type { Ledger, LimiterId, RecordOutcome } from '../model/eviction.ts';
import type { PodRef } from '../model/identity.ts';
import type { Instant } from '../model/time.ts';
import { originKey, type Reason } from '../model/verdict.ts';
import type { Row, Write } from '../table.ts';
import { recentPartition, shardOf, shards } from './keys.ts';
import { newestFirst } from './recordKeys.ts';
import { tallyOf } from './recordRows.ts';
import type { State } from './state.ts';

/** Rows read from one shard in one query. */
const pageSize = 500;

/** One finished eviction; the record under the pod's UID has the details. */
export interface RecentEviction {
  readonly pod: PodRef;
  readonly node?: string;
  /** When its record was closed, right after the answer to the DELETE. */
  readonly at: Instant;
  readonly outcome: RecordOutcome;
  /** The limiter whose token was used. */
  readonly limiter?: LimiterId;
  /** The first three reasons at most. */
  readonly because: readonly Reason[];
}

const reasonsKept = 3;

/** The tallies that counted an eviction, as far as no rule's row names them. */
export function talliesOf(row: Row): readonly string[] {
  const { because = [], tallies = [] } = row as { because?: readonly Reason[]; tallies?: readonly string[] };
  return [...new Set([...because.map((reason) => tallyOf(originKey(reason))), ...tallies])];
}

/** Must be in the transaction that closes the record, so that a pod is listed once. */
export function recentWrite(
  state: State,
  pod: PodRef & { readonly nodeName?: string },
  by: {
    readonly ledger: Pick<Ledger, 'because' | 'token'>;
    readonly outcome: RecordOutcome;
    readonly now: Instant;
    /** Retention, the same as the record's. */
    readonly days: number;
  },
): Write {
  const { ledger, outcome, now, days } = by;
  const others = ledger.because.slice(reasonsKept).filter(({ origin }) => origin.kind === 'Slice');
  const row: Row = {
    pk: recentPartition(state.cluster, shardOf(pod.uid)),
    sk: `${newestFirst(now)}#${pod.uid}`,
    pod: { namespace: pod.namespace, name: pod.name, uid: pod.uid },
    at: now,
    outcome,
    because: ledger.because.slice(0, reasonsKept),
    ttl: Math.floor(now / 1000) + days * 24 * 3600,
    ...(others.length > 0 ? { tallies: [...new Set(others.map((one) => tallyOf(originKey(one))))] } : {}),
    ...(pod.nodeName === undefined ? {} : { node: pod.nodeName }),
    ...(ledger.token === undefined ? {} : { limiter: ledger.token.limiter }),
  };
  return { kind: 'Put', row };
}

/**
 * Evictions finished from `since` to `until`, newest first. If a shard has more than `limit`, the result ends at that shard's last
 * row: the returned `since` is that time, and older evictions need another call.
 */
export async function readRecent(
  state: State,
  by: { readonly since: Instant; readonly until?: Instant; readonly limit: number },
): Promise<{ readonly evictions: readonly RecentEviction[]; readonly since: Instant; readonly isPartial: boolean }> {
  const pages = await Promise.all(
    shards.map((shard) =>
      state.table.query({
        pk: recentPartition(state.cluster, shard),
        from: by.until === undefined ? '0' : newestFirst(by.until),
        to: `${newestFirst(by.since)}#￿`,
        limit: by.limit,
      }),
    ),
  );
  const ends = pages.flatMap(({ rows, next }) =>
    next === undefined ? [] : rows.slice(-1).map(({ at }) => Number(at)),
  );
  const evictions = pages.flatMap((page) => page.rows.map(recentOf)).sort((a, b) => b.at - a.at);
  return { evictions, since: Math.max(by.since, ...ends), isPartial: ends.length > 0 };
}

/**
 * The newest `limit` evictions from `since` on that are wanted, newest first. Reads pages until it has them; `pagesAtMost` in all, after
 * which `readSince` is later than `since`.
 */
export async function readRecentWhere(
  state: State,
  by: {
    readonly since: Instant;
    readonly limit: number;
    readonly pagesAtMost: number;
    readonly isWanted: (one: RecentEviction) => boolean;
  },
): Promise<{ readonly evictions: readonly RecentEviction[]; readonly readSince: Instant }> {
  const found = new Map<string, RecentEviction>();
  let readSince = Number.POSITIVE_INFINITY;
  for (let page = 0; page < by.pagesAtMost; page++) {
    const range = Number.isFinite(readSince) ? { since: by.since, until: readSince } : { since: by.since };
    // Without a filter, the first page has all that is wanted.
    const limit = page === 0 ? Math.min(pageSize, by.limit) : pageSize;
    const read = await readRecent(state, { ...range, limit });
    // The page before has those of its last instant, but perhaps not all of them.
    for (const one of read.evictions)
      if (one.at >= read.since && by.isWanted(one)) found.set(`${one.at}#${one.pod.uid}`, one);
    const isAgain = read.since === readSince;
    readSince = read.since;
    if (!read.isPartial || isAgain || found.size >= by.limit) break;
  }
  const evictions = [...found.values()].sort((a, b) => b.at - a.at).slice(0, by.limit);
  return { evictions, readSince };
}

function recentOf(row: Row): RecentEviction {
  const { pod, node, at, outcome, limiter, because } = row as Row & RecentEviction;
  return {
    pod,
    at,
    outcome,
    because,
    ...(node === undefined ? {} : { node }),
    ...(limiter === undefined ? {} : { limiter }),
  };
}
