// A limiter's token bucket in the table: slots reserved ahead with one or two conditional updates (GCRA).
import { floorOf, stepOf } from '../decide/pace.ts';
import type { LimiterId, Rate } from '../model/eviction.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import { absent, all, any, compare, type Row, type Write } from '../table.ts';
import { reserveLimited } from './clusterLimitRows.ts';
import { bucketKey, limiterControlKey } from './keys.ts';
import type { State } from './state.ts';

/** Instants in a bucket are whole microseconds, so that rates such as 3 per second do not drift. */
const microsecond = 1000;

/** A bucket that nobody asked for so long is full again: without its row it is the same. */
const idleSeconds = 24 * 3600;

export interface SlotRequest {
  readonly rate: Rate;
  /** Frozen once per call: a floor that moves between the two updates makes them chase each other. */
  readonly now: Instant;
  readonly wanted: number;
  /** No slot later than this from `now`. */
  readonly horizon: Milliseconds;
  /** Evictions per second of the whole cluster, which every slot has to keep as well; absent: any. */
  readonly limit?: number | undefined;
}

/** Lost races of one call; each means that others took slots, and what is not taken now waits for the next call. */
const attempts = 8;

/** Up to `wanted` slots, ascending; slots not after `now` are the burst. Empty where rate or burst is 0 or all lie too far ahead. */
export async function reserveSlots(
  state: State,
  limiter: LimiterId,
  request: SlotRequest,
): Promise<readonly Instant[]> {
  const { rate, now, limit } = request;
  if (limit !== undefined) return reserveLimited(state, limiter, { ...request, limit });
  const [step, floor] = [stepOf(rate), floorOf(rate, now)];
  if (step === undefined || floor === undefined) return [];
  const latest = Math.round((now + request.horizon) * microsecond);
  // The first write is made without having read: whoever is refused is told where the schedule stands.
  let tat: Seen = isFirstAsked(state, limiter) ? undefined : 'NotRead';
  for (let attempt = 0; attempt < attempts; attempt++) {
    const first = typeof tat === 'number' ? Math.max(tat, floor) : floor;
    const room = first > latest ? 0 : Math.floor((latest - first) / step) + 1;
    const count = Math.min(request.wanted, room);
    if (count <= 0) return [];
    const last = latest - (count - 1) * step;
    const advanced = await advance(state, limiter, { floor, by: count * step, seen: tat, last });
    const end = advanced.tat;
    if (advanced.kind === 'Advanced' && end !== undefined)
      return Array.from({ length: count }, (_, i) => (end - (count - i) * step) / microsecond);
    tat = end;
  }
  return [];
}

const asked = new WeakMap<object, Set<string>>();

const mostAsked = 10_000;

/** A limiter that this process has not asked before is most likely a new one; a wrong guess costs one more call. */
function isFirstAsked({ table, cluster }: State, limiter: LimiterId): boolean {
  const known = asked.get(table) ?? new Set();
  asked.set(table, known);
  const key = `${cluster}|${limiter}`;
  if (known.has(key)) return false;
  if (known.size >= mostAsked) known.clear();
  known.add(key);
  return true;
}

/** The slots that the next call is going to give if nobody comes before it; `undefined` where it gives none. */
export async function readSchedule(
  state: State,
  limiter: LimiterId,
  { rate, now }: Pick<SlotRequest, 'rate' | 'now'>,
): Promise<{ readonly first: Instant; readonly step: Milliseconds } | undefined> {
  const [step, floor] = [stepOf(rate), floorOf(rate, now)];
  if (step === undefined || floor === undefined) return undefined;
  const tat = tatOf(await state.table.get(bucketKey(state.cluster, limiter)));
  return { first: Math.max(tat ?? floor, floor) / microsecond, step: step / microsecond };
}

/** Where a schedule stood when it was looked at last; `undefined` where there was none. */
type Seen = number | undefined | 'NotRead';

/**
 * Moves the schedule: from where it stands if that is not before the floor, else from the floor; never from later than `last`, or
 * callers side by side would give slots beyond the horizon. A lost race answers where the schedule stands now.
 */
async function advance(
  state: State,
  limiter: LimiterId,
  { floor, by, seen, last }: { floor: number; by: number; seen: Seen; last: number },
): Promise<{ readonly kind: 'Advanced' | 'Lost'; readonly tat: number | undefined }> {
  const key = bucketKey(state.cluster, limiter);
  const from = typeof seen === 'number' ? Math.max(seen, floor) : floor;
  const ttl = Math.ceil((from + by) / (1_000_000 * microsecond)) + idleSeconds;
  const stands = all(compare('tat', '>=', floor), compare('tat', '<=', last));
  const goOn: Write = { kind: 'Update', key, change: { set: { ttl }, add: { tat: by } }, when: stands };
  const restart = any(absent('tat'), compare('tat', '<', floor));
  const fresh: Write = { kind: 'Update', key, change: { set: { tat: floor + by, ttl } }, when: restart };
  const isUnderWay = seen === 'NotRead' || (seen !== undefined && seen >= floor);
  const result = await state.table.write(isUnderWay ? goOn : fresh);
  if (result.kind === 'Written') return { kind: 'Advanced', tat: tatOf(result.row) ?? floor + by };
  return { kind: 'Lost', tat: tatOf(result.row) };
}

function tatOf(row: Row | undefined): number | undefined {
  return row?.tat as number | undefined;
}

/** Lost races of one change of pace; each means that somebody took slots meanwhile. */
const changes = 8;

/**
 * Notes at which pace a limiter gives its slots. When it changes, the next slot comes down to one second from now, which is what
 * evictors may still remember, and never lower: a limiter that crawled does not crawl on, and an edit never mints a burst
 * (protocol 14). Both in one transaction, so that slots given at the new pace are never given again.
 */
export async function changePace(
  state: State,
  limiter: LimiterId,
  by: { readonly from: string | undefined; readonly to: string; readonly now: Instant },
): Promise<void> {
  const { from, to, now } = by;
  const when = from === undefined ? absent('pace') : compare('pace', '=', from);
  const noted: Write = {
    kind: 'Update',
    key: limiterControlKey(state.cluster, limiter),
    change: { set: { pace: to }, add: { series: 1 } },
    when,
  };
  const lowest = Math.round((now + 1000) * microsecond);
  const key = bucketKey(state.cluster, limiter);
  for (let attempt = 0; attempt < changes; attempt++) {
    const tat = from === undefined ? undefined : tatOf(await state.table.get(key));
    const eased: readonly Write[] =
      tat === undefined || tat <= lowest
        ? []
        : [{ kind: 'Update', key, change: { set: { tat: lowest } }, when: compare('tat', '=', tat) }];
    if ((await state.table.transact([noted, ...eased])).kind === 'Written') return;
  }
}
