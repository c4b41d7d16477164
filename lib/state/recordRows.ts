// The record of each eviction, opened as an intent before the DELETE and closed after it; and the tallies per rule.
import type { Grounds } from '../decide/grounds.ts';
import type { ApiAnswers, Ledger, LimiterId, RecordOutcome, Token } from '../model/eviction.ts';
import type { PodRef } from '../model/identity.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import { originKey } from '../model/verdict.ts';
import { absent, all, any, compare, type Key, queryAll, type Write } from '../table.ts';
import { dueAttributes, noDue } from './dueIndex.ts';
import { tallyKey, tallyPartition } from './keys.ts';
import { byPod, indexWrites } from './recordIndex.ts';
import { recordKey } from './recordKeys.ts';
import type { State } from './state.ts';

/** An eviction that is open this long was interrupted: longer than an evictor's lease. */
export const interruptedAfter: Milliseconds = 30_000;

/**
 * The key is the pod's UID: one record per pod, however often a step repeats and however many taints it names. A closed record is
 * never opened again: the transaction with these writes fails instead. An open record is due after `interruptedAfter`, so that an
 * interrupted attempt is settled.
 */
export function openRecord(
  state: State,
  pod: PodRef,
  by: { readonly ledger: Ledger; readonly grounds: Grounds; readonly now: Instant; readonly days: number },
): readonly Write[] {
  const { because, more, token, request } = by.ledger;
  const openedAt = by.ledger.openedAt ?? by.now;
  const key = recordKey(state.cluster, pod.uid);
  const ttl = Math.floor(by.now / 1000) + by.days * 24 * 3600;
  const set = {
    pod,
    because,
    ...(more && { more }),
    token,
    request,
    grounds: by.grounds,
    outcome: 'Open',
    openedAt: by.now,
    ttl,
    ...byPod(state, pod, openedAt),
    ...dueAttributes(state, key, by.now + interruptedAfter),
  };
  const opened: Write = {
    kind: 'Update',
    key,
    change: { set, add: { attempts: 1 }, remove: ['why', 'answers'] },
    when: any(absent('outcome'), compare('outcome', '=', 'Abandoned')),
  };
  return [opened, ...indexWrites(state, pod, { because, openedAt, ttl })];
}

/**
 * Conditional on an open record, so that only one of two finishers counts the pod, and a closed record never changes;
 * with `openedAt`, also on the attempt that the caller has read.
 */
export function closeRecord(
  state: State,
  pod: PodRef,
  by: {
    readonly outcome: RecordOutcome;
    readonly why?: string;
    readonly answers?: ApiAnswers;
    readonly openedAt?: Instant;
    /** The token that was used in the end, if it differs from the record's. */
    readonly token?: Token;
    /** Number of tallies already counted; see `tallyInParts`. */
    readonly tallied?: number;
    readonly now: Instant;
  },
): readonly Write[] {
  const { outcome, why, answers, token, now } = by;
  const closed: Write = {
    kind: 'Update',
    key: recordKey(state.cluster, pod.uid),
    change: {
      set: {
        outcome,
        ...(outcome === 'Abandoned' ? {} : { closedAt: now }),
        ...(why === undefined ? {} : { why }),
        ...(answers === undefined ? {} : { answers }),
        ...(token === undefined ? {} : { token }),
      },
      remove: noDue,
    },
    when: all(
      compare('outcome', '=', 'Open'),
      ...(by.openedAt === undefined ? [] : [compare('openedAt', '=', by.openedAt)]),
      ...(by.tallied === undefined ? [] : [talliedIs(by.tallied)]),
    ),
  };
  return [closed];
}

/** Removes the due entry of a record that is not open: releases up to 0.2 close records without removing it. */
export async function endDue({ table }: State, key: Key): Promise<void> {
  await table.write({ kind: 'Update', key, change: { remove: noDue }, when: compare('outcome', '<>', 'Open') });
}

/** Maximum tallies in the transaction that closes a record (DynamoDB: at most 100 writes). */
export const talliesAtOnce = 40;

/** The remaining tally writes, on the condition that `tallied` of them are already counted. */
export interface Tallies {
  readonly tallied?: number;
  readonly writes: readonly Write[];
}

const talliedIs = (count: number) => (count === 0 ? absent('tallied') : compare('tallied', '=', count));

/**
 * Writes all but the last tallies of a pod under many rules; the transaction that closes the record writes the rest. The record
 * stores the progress, so that each tally is counted once, whichever process continues.
 */
export async function tallyInParts(
  state: State,
  evicted: { readonly pod: PodRef; readonly because: Ledger['because'] },
): Promise<Tallies> {
  const writes = tallyWrites(state, [evicted]);
  if (writes.length <= talliesAtOnce) return { writes };
  const key = recordKey(state.cluster, evicted.pod.uid);
  let tallied = Number((await state.table.get(key))?.tallied ?? 0);
  while (writes.length - tallied > talliesAtOnce) {
    const next = tallied + talliesAtOnce;
    const when = all(compare('outcome', '=', 'Open'), talliedIs(tallied));
    const moved: Write = { kind: 'Update', key, change: { set: { tallied: next } }, when };
    const { kind } = await state.table.transact([moved, ...writes.slice(tallied, next)]);
    // Another process has continued or closed the record; then the close fails too, and is retried.
    if (kind === 'Lost') break;
    tallied = next;
  }
  return { tallied, writes: writes.slice(tallied, tallied + talliesAtOnce) };
}

/** Counts evicted pods for every rule and slice taint among their reasons, all in the shard of the first pod. */
export function tallyWrites(
  state: State,
  evicted: readonly { readonly pod: PodRef; readonly because: Ledger['because'] }[],
): readonly Write[] {
  const counts = new Map<string, { readonly key: Key; count: number }>();
  const [first] = evicted;
  if (!first) return [];
  for (const { because } of evicted)
    for (const origin of new Set(because.map((reason) => tallyOf(originKey(reason))))) {
      const key = tallyKey(state.cluster, origin, first.pod.uid);
      counts.set(origin, { key, count: (counts.get(origin)?.count ?? 0) + 1 });
    }
  return [...counts.values()].map(({ key, count }) => ({ kind: 'Update', key, change: { add: { evicted: count } } }));
}

/** The tally of a rule is stored under its UID, that of a slice taint under its limiter. */
export function tallyOf(limiter: LimiterId): string {
  const [kind, uid = ''] = limiter.split('|');
  return kind === 'rule' ? uid : limiter;
}

/** Number of pods ever evicted because of a rule (by UID) or a slice taint (by limiter). */
export async function readTally(state: State, origin: string): Promise<number> {
  const rows = await queryAll(state.table, { pk: tallyPartition(state.cluster, origin) });
  return rows.reduce((sum, row) => sum + ((row.evicted as number | undefined) ?? 0), 0);
}

const beforeKey = (state: State, limiter: LimiterId) => ({ pk: tallyPartition(state.cluster, limiter), sk: 'BEFORE' });

/** Number of pods evicted because of a slice taint since its limiter was last forgotten. */
export async function readEpisodeTally(state: State, limiter: LimiterId): Promise<number> {
  const [ever, row] = await Promise.all([readTally(state, limiter), state.table.get(beforeKey(state, limiter))]);
  return Math.max(0, ever - ((row?.before as number | undefined) ?? 0));
}

/** Restarts the count for limits: a slice taint has no generation, and may return under the same name years later. */
export async function endEpisode(state: State, limiter: LimiterId): Promise<void> {
  const before = await readTally(state, limiter);
  if (before > 0)
    await state.table.write({ kind: 'Update', key: beforeKey(state, limiter), change: { set: { before } } });
}
