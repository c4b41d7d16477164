// The record of each eviction, written as an intent before the DELETE and closed after it, and the tallies per rule.
import type { Grounds } from '../decide/grounds.ts';
import type { Ledger, LimiterId } from '../model/eviction.ts';
import type { PodRef } from '../model/identity.ts';
import type { Instant } from '../model/time.ts';
import { originKey } from '../model/verdict.ts';
import { compare, queryAll, type Write } from '../table.ts';
import { recordKey, tallyKey, tallyPartition } from './keys.ts';
import type { State } from './state.ts';

/** How long a record can be looked up. */
const retentionSeconds = 90 * 24 * 3600;

/** `Evicted` by Sluice's DELETE; `Gone` before it; `OutcomeUnknown` when a crash hid whose DELETE it was. */
export type RecordOutcome = 'Evicted' | 'Gone' | 'OutcomeUnknown' | 'Abandoned';

/** The record's key is the pod's UID: one pod, one record, however often a step repeats. */
export function openRecord(state: State, pod: PodRef, by: { ledger: Ledger; grounds: Grounds; now: Instant }): Write {
  const { because, reservation } = by.ledger;
  const set = {
    pod,
    because,
    reservation,
    grounds: by.grounds,
    outcome: 'Open',
    openedAt: by.now,
    ttl: Math.floor(by.now / 1000) + retentionSeconds,
  };
  return { kind: 'Update', key: recordKey(state.cluster, pod.uid), change: { set, remove: ['closedAt', 'why'] } };
}

/** Conditional on the record being open, so that of two finishers only one counts the pod. */
export function closeRecord(
  state: State,
  pod: PodRef,
  by: { outcome: RecordOutcome; why?: string; now: Instant },
): Write {
  const set = { outcome: by.outcome, closedAt: by.now, ...(by.why === undefined ? {} : { why: by.why }) };
  return {
    kind: 'Update',
    key: recordKey(state.cluster, pod.uid),
    change: { set },
    when: compare('outcome', '=', 'Open'),
  };
}

/** Adds one evicted pod to every rule and slice taint among the reasons (semantics.md 5.1 step 9). */
export function tallyWrites(state: State, pod: PodRef, ledger: Ledger): readonly Write[] {
  const origins = ledger.because.map((reason) => tallyOf(originKey(reason)));
  return [...new Set(origins)].map((origin) => ({
    kind: 'Update',
    key: tallyKey(state.cluster, origin, pod.uid),
    change: { add: { evicted: 1 } },
  }));
}

/** A rule's tally is kept under its UID, a slice taint's under its limiter. */
export function tallyOf(limiter: LimiterId): string {
  const [kind, uid = ''] = limiter.split('|');
  return kind === 'rule' ? uid : limiter;
}

/** Pods evicted because of a rule (its UID) or a slice taint (its limiter), ever; counts outlive restarts. */
export async function readTally(state: State, origin: string): Promise<number> {
  const rows = await queryAll(state.table, { pk: tallyPartition(state.cluster, origin) });
  return rows.reduce((sum, row) => sum + ((row.evicted as number | undefined) ?? 0), 0);
}
