// Writes the ledger that the revalidation of a pod produced: the pod is kept, or is pending for other reasons.
import type { Ledger, LimiterId } from '../../model/eviction.ts';
import type { Instant } from '../../model/time.ts';
import { writeLedger } from '../../state/podRows.ts';
import { registerLimiters } from '../../state/spreadList.ts';
import { announce } from '../../steps/announce.ts';
import { hasNewProblem } from '../../steps/evaluatePods.ts';
import type { AskedRow, Round } from './round.ts';

export interface Replanned {
  readonly kind: 'Replanned';
  readonly ledger: Ledger;
}

export async function writeReplanned(
  { deps, turn, limiter }: Round,
  row: AskedRow,
  { ledger }: Replanned,
): Promise<'Written' | 'Lost'> {
  const now = deps.clock.now();
  // The live cluster may name a limiter that lists no pod yet; register it first, so that the sweep finds it if this step is interrupted.
  if (ledger.state === 'Pending')
    await registerLimiters(
      turn.state,
      ledger.listings.map((one) => one.limiter),
      now,
    );
  const written = await writeLedger(turn.state, row, { ledger, now });
  if (written.kind === 'Lost') return 'Lost';
  const cancelled = ledger.state === 'Cancelled' ? [{ row: written.row, ledger: row.ledger }] : [];
  // This limiter is already being processed.
  const others = ledger.state === 'Pending' ? ledger.listings.filter((one) => one.limiter !== limiter) : [];
  const wake = new Map<LimiterId, Instant>(others.map((one) => [one.limiter, Math.max(one.dueAt, now)]));
  const problems = hasNewProblem(row, written.row) ? [written.row] : [];
  await announce(deps, turn.state, { wake, cancelled, problems, listed: 0, rules: new Set(), plans: new Set() });
  return 'Written';
}
