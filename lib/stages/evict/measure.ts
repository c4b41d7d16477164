// Emits the latencies of one eviction: after its token, after its due time, and the latter only if it did not wait for a token.
import { dueOf } from '../../decide/limiter.ts';
import type { Token } from '../../model/eviction.ts';
import type { ClusterId } from '../../model/identity.ts';
import type { StepDependencies } from '../../steps/step.ts';
import type { BegunRow } from './round.ts';

export function measure(
  { clock, metrics }: StepDependencies,
  cluster: ClusterId,
  { row, token }: { readonly row: BegunRow; readonly token: Token },
): void {
  const { object, ledger } = row;
  const now = clock.now();
  metrics.add('PaceError', Math.max(0, now - Math.max(token.at, token.takenAt)), cluster);
  metrics.add('DeletionDuration', Math.max(0, now - (dueOf(ledger.because) ?? token.at)), cluster);
  const due = ledger.listings.find((one) => one.limiter === token.limiter)?.dueAt;
  if (due === undefined || token.at > token.takenAt) return;
  // A pod that is newer than its taint was due at its creation.
  const since = Math.max(due, object.creationTimestamp ?? due);
  metrics.add('FirstDeleteLatency', Math.max(0, now - since), cluster);
}
