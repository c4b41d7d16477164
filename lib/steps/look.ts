// Everything that decides about one pod, read afresh right before it goes: does anything keep it, or move it elsewhere?
import { epochsOf } from '../decide/epoch.ts';
import { evaluatePod } from '../decide/evaluate.ts';
import { planLedger } from '../decide/plan.ts';
import { rateOf } from '../decide/rate.ts';
import type { Ledger, Reservation } from '../model/eviction.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Instant } from '../model/time.ts';
import { readSteadyNeighbourhood } from '../state/neighbourhood.ts';
import type { PodRow } from '../state/podRows.ts';
import { isUnapproved } from './approval.ts';
import { liveLimiter } from './liveLimiter.ts';
import { ownedSnapshot } from './ownedSnapshot.ts';
import type { ClusterStepDependencies, Turn } from './step.ts';
import { lowerModes } from './switchModes.ts';

/** With the slot by which it is to go. */
export interface ReservedRow extends PodRow {
  readonly ledger: Ledger & { readonly reservation: Reservation };
}

type Look =
  | { readonly kind: 'Stands'; readonly snapshot: Snapshot }
  | { readonly kind: 'Kept'; readonly why: string }
  /** Somebody has to write down that the pod stays, or waits for something else. */
  | { readonly kind: 'Replanned'; readonly ledger: Ledger }
  | { readonly kind: 'Lost' };

export async function look(
  deps: ClusterStepDependencies,
  turn: Turn,
  { row, now }: { readonly row: ReservedRow; readonly now: Instant },
): Promise<Look> {
  const { because, reservation } = row.ledger;
  const { limiter } = reservation;
  const [snapshot, live] = await Promise.all([
    readSteadyNeighbourhood(turn.state, row, deps.settings),
    liveLimiter(deps, turn, { limiter, because }),
  ]);
  if (!snapshot) return { kind: 'Lost' };
  if (live.kind === 'Moved') return { kind: 'Kept', why: live.why };
  await lowerModes(deps, turn.state, snapshot.modes);
  const replanned = replan(row, { snapshot: ownedSnapshot(deps, turn.state.cluster, snapshot), now });
  if (replanned) return { kind: 'Replanned', ledger: replanned };
  const isStill = !(rateOf(limiter, snapshot, now).perSecond > 0);
  if (isStill || (await isUnapproved(deps, turn.state, { limiter, ruleSet: snapshot })))
    return { kind: 'Kept', why: 'held' };
  return { kind: 'Stands', snapshot };
}

/** The ledger that a fresh evaluation asks for, where it is not what stands there. */
function replan(row: PodRow, by: { snapshot: Snapshot; now: number }): Ledger | undefined {
  const verdict = evaluatePod(row.object, by.snapshot);
  const plan = planLedger({
    pod: row.object,
    gone: row.gone,
    verdict,
    ledger: row.ledger,
    epochOf: epochsOf(by.snapshot.rules),
    ruleSet: by.snapshot,
    now: by.now,
  });
  if (plan.kind === 'Keep' || plan.kind === 'Unchanged') return undefined;
  return plan.ledger.state === 'Reserved' ? undefined : plan.ledger;
}
