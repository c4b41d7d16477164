// The short way for a few pods, and for those whose limiter keeps nobody waiting: slots that are free now, without a pacer.
import { epochsOf } from '../decide/epoch.ts';
import { placeAt } from '../decide/line.ts';
import { paceText, policyOf, type RuleSet, rateOf } from '../decide/rate.ts';
import { sliceApprovalNeed } from '../decide/sliceApproval.ts';
import { isUnpaced } from '../decide/writtenRate.ts';
import type { Ledger, LimiterId } from '../model/eviction.ts';
import { compareText } from '../model/snapshot.ts';
import { type Instant, isDue } from '../model/time.ts';
import { reserveSlots } from '../state/bucketRows.ts';
import type { PodRow } from '../state/podRows.ts';
import type { State } from '../state/state.ts';
import { isUnapproved } from './approval.ts';
import { isInCanary } from './canary.ts';
import { hasFlightLimits } from './inFlight.ts';
import { mayAct } from './mayAct.ts';
import type { StepDependencies } from './step.ts';

interface FreshPod {
  readonly row: PodRow;
  readonly ledger: Ledger;
}

interface FreshPods {
  readonly state: State;
  readonly fresh: readonly FreshPod[];
  readonly ruleSet: RuleSet;
  readonly now: Instant;
  /** Of many pods only a pacer sees who comes first. */
  readonly areFew: boolean;
}

/** Ledgers with a slot not after `now`, by pod key; pods that found none are left out and wait for the pacer. */
export async function takeFreeSlots(
  deps: StepDependencies,
  { state, fresh, ruleSet, now, areFew }: FreshPods,
): Promise<ReadonlyMap<string, Ledger>> {
  const taken = new Map<string, Ledger>();
  const groups = [...byFastestLimiter(fresh, ruleSet, now)];
  const served = groups.filter(([limiter]) => areFew || isUnpaced(rateOf(limiter, ruleSet, now)));
  if (served.length === 0 || !(await mayAct(deps, state, now))) return taken;
  const epoch = epochsOf(ruleSet.rules);
  for (const [limiter, pods] of served) {
    if (await needsPacer(deps, state, { limiter, ruleSet })) continue;
    const frozen = deps.clock.now();
    const rate = rateOf(limiter, ruleSet, frozen);
    const limit = deps.limitOf(state.cluster);
    const slots = await reserveSlots(state, limiter, { rate, now: frozen, wanted: pods.length, horizon: 0, limit });
    const given = { limiter, epoch: epoch(limiter), reservedAt: frozen, pace: paceText(limiter, ruleSet) };
    for (const [i, slot] of slots.entries()) {
      const pod = pods[i];
      if (pod) taken.set(pod.row.key, { ...pod.ledger, state: 'Reserved', reservation: { ...given, slot } });
    }
  }
  return taken;
}

/** Who goes with whom, who is counted, and how many a taint in slices lists by then, is known to the pacer alone, which nobody works beside. */
async function needsPacer(
  deps: StepDependencies,
  state: State,
  at: { readonly limiter: LimiterId; readonly ruleSet: RuleSet },
): Promise<boolean> {
  const policy = policyOf(at.limiter, at.ruleSet);
  if (policy?.groupBy || hasFlightLimits(at)) return true;
  if (at.limiter.startsWith('slice|') && sliceApprovalNeed(policy) !== undefined) return true;
  return (await isUnapproved(deps, state, at)) || (await isInCanary(deps, state, at));
}

/** Each pod at the fastest of its due limiters: the highest rate wins (KEP-5055, rate-limited revision). */
function byFastestLimiter(
  fresh: readonly FreshPod[],
  rules: RuleSet,
  now: Instant,
): ReadonlyMap<LimiterId, readonly FreshPod[]> {
  const groups = new Map<LimiterId, readonly FreshPod[]>();
  for (const pod of fresh) {
    const due = pod.ledger.listings.filter((listing) => isDue(listing.dueAt, now));
    const fastest = due.toSorted(
      (a, b) => rateOf(b.limiter, rules, now).perSecond - rateOf(a.limiter, rules, now).perSecond,
    )[0];
    if (fastest) groups.set(fastest.limiter, [...(groups.get(fastest.limiter) ?? []), pod]);
  }
  for (const [limiter, pods] of groups)
    groups.set(
      limiter,
      pods.toSorted((a, b) => inOrderOf(limiter, a, b)),
    );
  return groups;
}

function inOrderOf(limiter: LimiterId, ...[a, b]: readonly [FreshPod, FreshPod]): number {
  const placeOf = ({ ledger }: FreshPod) => {
    const listing = ledger.listings.find((one) => one.limiter === limiter);
    return listing ? placeAt(ledger, listing) : '';
  };
  return compareText(placeOf(a), placeOf(b));
}
