// Closes what a delete leaves behind: record, ledger, tallies and the list of the last evictions, in one transaction.
import type { ApiAnswers, Ledger, RecordOutcome, Reservation } from '../model/eviction.ts';
import type { PodRef } from '../model/identity.ts';
import type { Instant } from '../model/time.ts';
import { type PodRow, readPod, writeLedger } from '../state/podRows.ts';
import { recentWrite } from '../state/recentRows.ts';
import { closeRecord, tallyWrites } from '../state/recordRows.ts';
import type { State } from '../state/state.ts';
import { unseat, wakeAfterCanary } from './canary.ts';
import type { StepDependencies } from './step.ts';

export interface Finishing {
  readonly pod: PodRef & { readonly nodeName?: string };
  /** Why the pod had to go, and by whose slot. */
  readonly ledger: Pick<Ledger, 'because' | 'reservation'>;
  /** The pod's row as it was read last; absent where its name belongs to another pod. */
  readonly row: PodRow | undefined;
  readonly outcome: Exclude<RecordOutcome, 'Abandoned'>;
  readonly answers?: ApiAnswers;
  readonly why?: string;
  /** The slot by which the pod went, where it is not the one that its record was opened with. */
  readonly reservation?: Reservation;
  /** Only the attempt that was opened then. */
  readonly openedAt?: Instant;
}

/**
 * An evaluation may have moved the row since (a pod's own deletion does), so a lost race reads it again; the record's own condition
 * keeps two finishers from counting a pod twice.
 */
export async function finish(deps: StepDependencies, state: State, by: Finishing): Promise<void> {
  const { pod, outcome, ledger } = by;
  let { row } = by;
  for (let attempt = 0; attempt < 10; attempt++) {
    const now = deps.clock.now();
    const counted = outcome === 'Gone' ? [] : tallyWrites(state, pod, ledger);
    const closing = [
      ...closeRecord(state, refOf(pod), { ...by, now }),
      recentWrite(state, pod, { ledger, outcome, now }),
      ...counted,
      ...unseat(state, ledger.reservation, { uid: pod.uid, deleted: outcome !== 'Gone', now }),
    ];
    const mine =
      row?.uid === pod.uid && row.ledger?.podUid === pod.uid && row.ledger.state === 'Deleting' ? row : undefined;
    const written = mine
      ? await writeLedger(state, mine, { ledger: closedLedger(mine, outcome), now, with: closing })
      : await state.table.transact(closing);
    if (written.kind === 'Written') return wakeAfterCanary(deps, state, ledger.reservation);
    if (!mine) return;
    await deps.clock.sleep(2 * attempt);
    row = await readPod(state, mine.key);
  }
  throw new Error(
    `pod ${pod.namespace}/${pod.name}: deleted, but its record could not be closed in 10 attempts; the sweep finishes it`,
  );
}

function refOf({ namespace, name, uid }: PodRef): PodRef {
  return { namespace, name, uid };
}

function closedLedger({ ledger }: PodRow, outcome: Finishing['outcome']): Ledger | undefined {
  if (!ledger) return undefined;
  const { reservation: _, leaseUntil: __, request: ___, ...rest } = ledger;
  return { ...rest, state: outcome === 'Evicted' ? 'Evicted' : 'Gone' };
}
