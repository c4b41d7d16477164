// Registers limiters before pods are listed at them, counts listed pods, and spreads long lists over more partitions.
import { type Memory, remembered } from '../memory.ts';
import type { LimiterId } from '../model/eviction.ts';
import type { Uid } from '../model/identity.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import { absent, any, type Key, present, type Row, type Write } from '../table.ts';
import { dueAttributes } from './dueIndex.ts';
import { limiterControlKey } from './keys.ts';
import { listPartition, listShardCount, listShardOf, spreadMarks } from './listKeys.ts';
import { type State, tombstoneSeconds } from './state.ts';

/** How long a process relies on its last write; far below the time after which an idle limiter is forgotten. */
export const rememberFor: Milliseconds = 10 * 60_000;

/** Due interval while pods are listed: at the next sweep. */
export const lookedAtEvery: Milliseconds = 30_000;

/** `above`: pods in the first partition from which a list is spread; `noted`: a process reports its count after this many. */
export interface SpreadSetting {
  readonly above: number;
  readonly noted: number;
}

/** One partition can list 2,000 pods in a few seconds. */
const usual: SpreadSetting = { above: 2000, noted: 100 };

/** The setting of a process; tests set small limits by calling this first. */
export function spreadSetting(memory: Memory | undefined, make: () => SpreadSetting = () => usual): SpreadSetting {
  return memory ? memory.of('spread lists', make) : make();
}

/** Number of limiters that a process remembers before it drops those not used recently. */
const mostRegistered = 10_000;

/** What a process remembers about a limiter that it has registered. */
interface Registered {
  readonly at: Instant;
  readonly isSpread: boolean;
  /** Pods listed since the last report. */
  listed: number;
}

function registeredOf({ memory }: State): Map<string, Registered> {
  return remembered<Registered>(memory, 'limiters in use');
}

function registration({ cluster }: State, limiter: LimiterId): string {
  return `${cluster}#${limiter}`;
}

/**
 * Registers limiters and sets their due time, before pods are listed at them; a limiter appears once per pod. A process that has
 * forgotten its last write repeats it.
 */
export async function registerLimiters(state: State, limiters: readonly LimiterId[], now: Instant): Promise<void> {
  const counts = new Map<LimiterId, number>();
  for (const limiter of limiters) counts.set(limiter, (counts.get(limiter) ?? 0) + 1);
  await Promise.all([...counts].map(([limiter, listed]) => register(state, { limiter, listed, now })));
}

interface Listing {
  readonly limiter: LimiterId;
  readonly listed: number;
  readonly now: Instant;
}

async function register(state: State, { limiter, listed, now }: Listing): Promise<void> {
  const known = registeredOf(state).get(registration(state, limiter));
  if (!known || known.at <= now - rememberFor) {
    await registerAgain(state, { limiter, listed: listed + (known?.listed ?? 0), now });
    return;
  }
  if (known.isSpread) return;
  known.listed += listed;
  if (known.listed < spreadSetting(state.memory).noted) return;
  const said = known.listed;
  known.listed = 0;
  await sayListed(state, { limiter, listed: said, now }, known.at);
}

async function registerAgain(state: State, { limiter, listed, now }: Listing): Promise<void> {
  const key = limiterControlKey(state.cluster, limiter);
  const set = { usedAt: now, ...dueAttributes(state, key, now + lookedAtEvery) };
  const { row } = await state.table.write({ kind: 'Update', key, change: { set, add: { listed } } });
  await learn(state, { limiter, at: now, now, row });
}

/** Adds to the count; the due time of the limiter stays. */
async function sayListed(state: State, by: Listing, at: Instant): Promise<void> {
  const { limiter, listed, now } = by;
  const key = limiterControlKey(state.cluster, limiter);
  const said = await state.table.write({
    kind: 'Update',
    key,
    change: { add: { listed } },
    when: present('usedAt'),
  });
  if (said.kind === 'Written') await learn(state, { limiter, at, now, row: said.row });
  else await registerAgain(state, by);
}

/** Updates the memory from the limiter's row after a write. */
async function learn(
  state: State,
  by: { readonly limiter: LimiterId; readonly at: Instant; readonly now: Instant; readonly row: Row | undefined },
): Promise<void> {
  const { limiter, at, now, row } = by;
  const isLong = Number(row?.listed ?? 0) >= spreadSetting(state.memory).above;
  const isSpread = row?.shards !== undefined || (isLong && (await spread(state, limiter, now)));
  const registered = registeredOf(state);
  registered.set(registration(state, limiter), { at, isSpread, listed: 0 });
  if (registered.size <= mostRegistered) return;
  for (const [name, one] of registered) if (now - one.at > 2 * rememberFor) registered.delete(name);
}

const expiry = (now: Instant) => ({ ttl: Math.floor(now / 1000) + tombstoneSeconds });

/**
 * Spreads a limiter's list. The count never decreases, so the first partition is counted before. Markers are written to the first
 * partition before any pod is listed in another: a query that starts before that misses no pod listed by then. A marker
 * without `shards` in the limiter's row expires.
 */
async function spread(state: State, limiter: LimiterId, now: Instant): Promise<boolean> {
  const key = limiterControlKey(state.cluster, limiter);
  const held = await countFirst(state, limiter);
  if (held < spreadSetting(state.memory).above) {
    await state.table.write({ kind: 'Update', key, change: { set: { listed: held } }, when: present('usedAt') });
    return false;
  }
  const marks = marksOf(state, limiter);
  const isNew = any(absent('shards'), present('ttl'));
  // An older release reads a marker as a pod that does not exist.
  const noPod = { pod: '-', uid: '-', ns: '-', shards: listShardCount };
  await state.table.transact(
    marks.map((mark): Write => ({ kind: 'Put', row: { ...mark, ...noPod, ...expiry(now) }, when: isNew })),
  );
  const use = { set: { shards: listShardCount, usedAt: now } };
  const used = await state.table.transact([
    { kind: 'Update', key, change: use, when: present('usedAt') },
    ...marks.map(
      (mark): Write => ({ kind: 'Update', key: mark, change: { remove: ['ttl'] }, when: present('shards') }),
    ),
  ]);
  return used.kind === 'Written';
}

async function countFirst(state: State, limiter: LimiterId): Promise<number> {
  const { above } = spreadSetting(state.memory);
  let count = 0;
  let after: string | undefined;
  while (count < above) {
    const range = { pk: listPartition(state.cluster, limiter), limit: above - count };
    const page = await state.table.query(after === undefined ? range : { ...range, after });
    count += page.rows.length;
    after = page.next;
    if (after === undefined) break;
  }
  return count;
}

function marksOf({ cluster }: State, limiter: LimiterId): readonly Key[] {
  return spreadMarks.map((sk) => ({ pk: listPartition(cluster, limiter), sk }));
}

/** Lets the markers of a forgotten limiter expire, later than any step that still knows them can run. */
export function endSpread(state: State, limiter: LimiterId, now: Instant): readonly Write[] {
  const change = { set: expiry(now) };
  return marksOf(state, limiter).map((key) => ({ kind: 'Update', key, change, when: present('shards') }));
}

/** The partition of a newly listed pod: the first, unless this process knows from recent writes that the list is spread. */
export function shardFor(
  state: State,
  by: { readonly limiter: LimiterId; readonly uid: Uid; readonly now: Instant },
): number | undefined {
  const known = registeredOf(state).get(registration(state, by.limiter));
  if (!known?.isSpread || by.now - known.at > 2 * rememberFor) return undefined;
  const shard = listShardOf(by.uid);
  return shard === 0 ? undefined : shard;
}
