// Closes one eviction alone: after a crash, or where its row has changed so that it could not be closed in a batch.
import type { ApiAnswers, Ledger, Token } from '../../model/eviction.ts';
import type { PodRef } from '../../model/identity.ts';
import type { Instant } from '../../model/time.ts';
import { type PodRow, readPod, writeLedger } from '../../state/podRows.ts';
import { type Tallies, tallyInParts } from '../../state/recordRows.ts';
import type { State } from '../../state/state.ts';
import { wakeAfterCanary } from '../../steps/canary.ts';
import type { StepDependencies } from '../../steps/step.ts';
import { closedLedger, recordWrites } from './closing.ts';
import type { Closing } from './round.ts';

export interface Finishing {
  readonly pod: PodRef;
  /** The reasons and the token of the eviction. */
  readonly ledger: Pick<Ledger, 'because' | 'token'>;
  /** The pod's row as last read; absent where its name belongs to another pod. */
  readonly row: PodRow | undefined;
  readonly outcome: Closing['outcome'];
  readonly answers?: ApiAnswers;
  readonly why?: string;
  readonly token?: Token;
  /** Close only the attempt that was opened then. */
  readonly openedAt?: Instant;
}

const attempts = 10;

const noTallies: Tallies = { writes: [] };

/**
 * An evaluation may have changed the row since (the pod's own deletion triggers one), so a lost race reads the row again; the
 * condition on the record keeps two finishers from counting a pod twice.
 */
export async function finish(deps: StepDependencies, state: State, by: Finishing): Promise<void> {
  const { pod, outcome, ledger, row: first, ...rest } = by;
  let row = first;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const now = deps.clock.now();
    const object = row ? { object: row.object } : {};
    const { writes, ...counted } =
      outcome === 'Gone' ? noTallies : await tallyInParts(state, { pod, because: ledger.because });
    const closing = [
      ...recordWrites(
        state,
        { ...rest, ...counted, pod, outcome, row: { ledger, ...object } },
        { now, days: deps.recordDays },
      ),
      ...writes,
    ];
    const mine = deletingRow(row, pod);
    const written = mine
      ? await writeLedger(state, mine, { ledger: closedLedger(mine.ledger, outcome), now, with: closing })
      : await state.table.transact(closing);
    if (written.kind === 'Written') return wakeAfterCanary(deps, state, ledger.token);
    if (!mine) return;
    await deps.clock.sleep(2 * attempt);
    row = await readPod(state, mine.key);
  }
  throw new Error(
    `pod ${pod.namespace}/${pod.name}: deleted, but its record could not be closed in ${attempts} attempts; its intent is settled later`,
  );
}

function deletingRow(row: PodRow | undefined, { uid }: PodRef): (PodRow & { readonly ledger: Ledger }) | undefined {
  const { ledger } = row ?? {};
  if (!row || row.uid !== uid || ledger?.podUid !== uid || ledger.state !== 'Deleting') return undefined;
  return { ...row, ledger };
}
