// Lets the first pods of a taint go, and nobody else before its canary has passed; all of it read from the table each time.
import { type CanaryState, canaryHold, canaryState } from '../decide/canary.ts';
import { epochsOf } from '../decide/epoch.ts';
import { policyOf, type RuleSet } from '../decide/rate.ts';
import { evicts } from '../decide/taint.ts';
import type { LimiterId, Reservation } from '../model/eviction.ts';
import type { Hold } from '../model/hold.ts';
import type { Uid } from '../model/identity.ts';
import type { EvictionPolicy } from '../model/policy.ts';
import { ruleLimiter } from '../model/rule.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import { type CanaryOf, chooseSeat, leaveSeat, readCanary } from '../state/canaryRows.ts';
import { readListed } from '../state/limiterRows.ts';
import { currentRuleSet } from '../state/neighbourhood.ts';
import type { State } from '../state/state.ts';
import type { Write } from '../table.ts';
import { readReservedPods } from './reservedPods.ts';
import type { ReportedRule, StepDependencies } from './step.ts';

interface At {
  readonly limiter: LimiterId;
  readonly ruleSet: RuleSet;
}

interface Found {
  readonly of: CanaryOf;
  readonly policy: EvictionPolicy;
  readonly state: CanaryState;
  /** Pods that have a seat and are being deleted. */
  readonly open: number;
}

/** What has passed stays so while policy and rule are what they were, so that most evictions read nothing. */
const remembersFor: Milliseconds = 60_000;

const passed = new Map<string, Instant>();

/** `undefined` where there is no canary, or it has passed. */
async function findCanary(deps: StepDependencies, state: State, { limiter, ruleSet }: At): Promise<Found | undefined> {
  const policy = policyOf(limiter, ruleSet);
  const canary = policy?.canary;
  if (!policy || !canary) return undefined;
  const of = { limiter, epoch: epochsOf(ruleSet.rules)(limiter) };
  const key = `${state.cluster}|${limiter}|${of.epoch}|${canary.pods}|${canary.hold}`;
  const now = deps.clock.now();
  const since = passed.get(key);
  if (since !== undefined && now >= since && now - since < remembersFor) return undefined;
  const seats = await readCanary(state, of);
  const found = canaryState(canary, seats, now);
  if (found.kind !== 'Passed')
    return { of, policy, state: found, open: seats.filter(({ deletedAt }) => deletedAt === undefined).length };
  if (passed.size > 1000) passed.clear();
  passed.set(key, now);
  return undefined;
}

export async function isInCanary(deps: StepDependencies, state: State, at: At): Promise<boolean> {
  return (await findCanary(deps, state, at)) !== undefined;
}

/** Whether all its pods have their seats, so that nobody gets a slot for now. */
export async function isWaitingForCanary(deps: StepDependencies, state: State, at: At): Promise<boolean> {
  const found = await findCanary(deps, state, at);
  return found !== undefined && !(found.state.kind === 'Running' && found.state.free.length > 0);
}

/** How many more pods a pacer may give slots to; a slot that is given stands for a seat. */
export async function roomInCanary(deps: StepDependencies, state: State, at: At): Promise<number> {
  const found = await findCanary(deps, state, at);
  if (!found) return Number.POSITIVE_INFINITY;
  if (found.state.kind !== 'Running' || found.state.free.length === 0) return 0;
  return found.state.free.length - (await readReservedPods(state, at.limiter)).length;
}

export type Seated =
  | { readonly kind: 'NotNeeded' }
  | { readonly kind: 'Seat'; readonly of: CanaryOf; readonly seat: number }
  | { readonly kind: 'Full' };

/** The evictor's question: more may have a slot than a canary has seats, because policies change. */
export async function findSeat(deps: StepDependencies, state: State, at: At & { readonly uid: Uid }): Promise<Seated> {
  const found = await findCanary(deps, state, at);
  if (!found) return { kind: 'NotNeeded' };
  const seat = found.state.kind === 'Running' ? chooseSeat(found.state.free, at.uid) : undefined;
  return seat === undefined ? { kind: 'Full' } : { kind: 'Seat', of: found.of, seat };
}

/** For the transaction that closes a pod's record. */
export function unseat(
  state: State,
  reservation: Reservation | undefined,
  by: { readonly uid: Uid; readonly deleted: boolean; readonly now: Instant },
): readonly Write[] {
  if (reservation?.canarySeat === undefined) return [];
  return [leaveSeat(state, reservation, { seat: reservation.canarySeat, ...by })];
}

/** The pacer looks again when the hold is over, and at once where a seat became free. */
export async function wakeAfterCanary(
  deps: StepDependencies,
  state: State,
  reservation: Reservation | undefined,
): Promise<void> {
  if (reservation?.canarySeat === undefined) return;
  const { limiter } = reservation;
  const found = await findCanary(deps, state, { limiter, ruleSet: await currentRuleSet(state) });
  const notBefore = found?.state.kind === 'Holding' ? found.state.until : deps.clock.now();
  await deps.queues.sendPace([{ cluster: state.cluster, limiter, notBefore }]);
}

/** For the rule's condition; each of its taints has a canary of its own. */
export async function canaryHoldOf(
  deps: StepDependencies,
  state: State,
  { taints }: Pick<ReportedRule, 'taints'>,
): Promise<Hold | undefined> {
  const acting = taints.filter(({ taint }) => evicts(taint));
  const held = await Promise.all(
    acting.map(async (rule) => {
      const limiter = ruleLimiter(rule);
      const found = await findCanary(deps, state, { limiter, ruleSet: { rules: taints } });
      const hold =
        found && canaryHold(found.policy, found.state, (await readListed(state, limiter)).length - found.open);
      return hold ? [{ key: rule.taint.key, hold }] : [];
    }),
  );
  const [first, ...others] = held.flat();
  if (!first || (others.length === 0 && acting.length === 1)) return first?.hold;
  const messages = held.flat().map(({ key, hold }) => `${key}: ${hold.message}`);
  return { ...first.hold, message: messages.join(' ') };
}
