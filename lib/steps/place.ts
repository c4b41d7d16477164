// The evictor's question before it writes an intent: is there a place for the pod in what its policy counts?
import type { RuleSet } from '../decide/rate.ts';
import type { LimiterId, Loop } from '../model/eviction.ts';
import { takeSeat } from '../state/canaryRows.ts';
import type { PodRow } from '../state/podRows.ts';
import type { State } from '../state/state.ts';
import type { Write } from '../table.ts';
import { findSeat } from './canary.ts';
import { board } from './inFlight.ts';
import { findRound } from './loops.ts';
import type { StepDependencies } from './step.ts';

export type Place =
  | { readonly kind: 'Full'; readonly why: string }
  /** Its owner's pods come back to the device, so that it is no use. */
  | { readonly kind: 'Looping'; readonly loop: Loop }
  /** `writes` belong in the transaction that writes the intent. */
  | { readonly kind: 'Place'; readonly writes: readonly Write[]; readonly canarySeat?: number };

/** More may have slots than there are places, because policies change and pacers see less. */
export async function findPlace(
  deps: StepDependencies,
  state: State,
  at: { readonly limiter: LimiterId; readonly ruleSet: RuleSet; readonly row: PodRow },
): Promise<Place> {
  const [boarding, round] = await Promise.all([board(deps, state, at), findRound(deps, state, at)]);
  if (round.kind === 'Looping') return round;
  if (boarding.kind === 'Full') return boarding;
  const counted = [...boarding.writes, ...round.writes];
  const { uid } = at.row;
  const seated = await findSeat(deps, state, { ...at, uid });
  if (seated.kind === 'Full') return { kind: 'Full', why: 'canary' };
  if (seated.kind === 'NotNeeded') return { kind: 'Place', writes: counted };
  const { of, seat } = seated;
  const taken = takeSeat(state, of, { seat, uid, now: deps.clock.now() });
  return { kind: 'Place', writes: [...counted, taken], canarySeat: seat };
}
