// A slot that has passed is void; where the limiter has another one at this very moment, the evictor goes on with that.
import { epochsOf } from '../decide/epoch.ts';
import { lastUsable } from '../decide/pace.ts';
import { paceText, policyOf, type RuleSet, rateOf } from '../decide/rate.ts';
import { isUnpaced } from '../decide/writtenRate.ts';
import type { LimiterId, Rate, Reservation } from '../model/eviction.ts';
import type { Instant } from '../model/time.ts';
import { reserveSlots } from '../state/bucketRows.ts';
import { currentRuleSet } from '../state/neighbourhood.ts';
import type { State } from '../state/state.ts';
import type { StepDependencies } from './step.ts';

/** A slot older than this is void, so that a stall does not release a minute's slots at once (protocol 15). */
export const lateness = 1000;

/**
 * The reservation that may be used now, or `undefined` where there is none. The bucket is charged again, since what a stall held
 * back must not go at once (protocol 15); where it has nothing to give at this moment, the pod has to go through the pacer, which
 * is the only one to see who shares a slot with whom.
 */
export async function usableReservation(
  deps: StepDependencies,
  state: State,
  { reservation, now }: { readonly reservation: Reservation; readonly now: Instant },
): Promise<Reservation | undefined> {
  if (now <= lastUsable(reservation, lateness)) return reservation;
  const { limiter } = reservation;
  const ruleSet = await currentRuleSet(state);
  if (policyOf(limiter, ruleSet)?.groupBy || !isInForce(reservation, ruleSet)) return undefined;
  const slot = await slotNow(state, limiter, {
    rate: rateOf(limiter, ruleSet, now),
    limit: deps.limitOf(state.cluster),
    now,
  });
  return slot === undefined ? undefined : { ...reservation, slot, reservedAt: now };
}

/** After an edit only the pacer may go on: it sees to it that a change of pace mints no burst (protocol 14). */
function isInForce({ limiter, epoch, pace }: Reservation, ruleSet: RuleSet): boolean {
  return epoch === epochsOf(ruleSet.rules)(limiter) && pace === paceText(limiter, ruleSet);
}

/** Where there is no pace to keep, nothing has to be given out again: a stall holds back less than may go in its next second. */
async function slotNow(
  state: State,
  limiter: LimiterId,
  by: { readonly rate: Rate; readonly limit: number | undefined; readonly now: Instant },
): Promise<Instant | undefined> {
  if (isUnpaced(by.rate) && by.limit === undefined) return by.now;
  const [slot] = await reserveSlots(state, limiter, { ...by, wanted: 1, horizon: 0 });
  return slot;
}
