// The evictor's question whether the pod it is about to delete has come back too often to the device that it goes from.
import { ownerOf } from '../decide/group.ts';
import { devicesUnder, loopLimitsOf, roundOf } from '../decide/loop.ts';
import { policyOf, type RuleSet } from '../decide/rate.ts';
import type { LimiterId, Loop } from '../model/eviction.ts';
import { countRound, readRounds } from '../state/loopRows.ts';
import type { PodRow } from '../state/podRows.ts';
import type { State } from '../state/state.ts';
import type { Write } from '../table.ts';
import type { StepDependencies } from './step.ts';

export type Found =
  /** `writes` count it, with the intent. */
  { readonly kind: 'Free'; readonly writes: readonly Write[] } | { readonly kind: 'Looping'; readonly loop: Loop };

/** Nothing is read for a pod that nobody creates anew, or without a policy. */
export async function findRound(
  deps: Pick<StepDependencies, 'clock'>,
  state: State,
  at: { readonly limiter: LimiterId; readonly ruleSet: RuleSet; readonly row: PodRow },
): Promise<Found> {
  const { limiter, row } = at;
  const owner = ownerOf(row.object);
  const limits = loopLimitsOf(policyOf(limiter, at.ruleSet));
  if (!owner || !limits) return { kind: 'Free', writes: [] };
  const now = deps.clock.now();
  const writes: Write[] = [];
  for (const known of await readRounds(state, owner, devicesUnder(limiter, row.ledger?.because ?? []))) {
    const { device } = known;
    const round = roundOf(known.times, { limits, createdAt: row.object.creationTimestamp, now });
    if (round.kind === 'Loop') {
      const { times, until } = round;
      return { kind: 'Looping', loop: { limiter, device, times, until } };
    }
    if (round.kind === 'Next')
      writes.push(countRound(state, owner, { ...known, times: round.times, window: limits.window, now }));
  }
  return { kind: 'Free', writes };
}
