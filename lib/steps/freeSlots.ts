// The short way for a few pods: slots that are free at this moment, without waiting for a pacer.
import { epochsOf } from '../decide/epoch.ts';
import { placeAt } from '../decide/line.ts';
import { paceText, policyOf, type RuleSet, rateOf } from '../decide/rate.ts';
import { sliceApprovalNeed } from '../decide/sliceApproval.ts';
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
}

/** Ledgers with a slot not after `now`, by pod key; pods that found none are left out and wait for the pacer. */
export async function takeFreeSlots(
  deps: StepDependencies,
  { state, fresh, ruleSet, now }: FreshPods,
): Promise<ReadonlyMap<string, Ledger>> {
  const taken = new Map<string, Ledger>();
  if (fresh.length === 0 || !(await mayAct(deps, state, now))) return taken;
  const { rules } = ruleSet;
  const epoch = epochsOf(rules);
  for (const [limiter, pods] of byFastestLimiter(fresh, ruleSet, now)) {
    if (isForPacers(limiter, ruleSet)) continue;
    if (await isUnapproved(deps, state, { limiter, ruleSet })) continue;
    // Pods that have to be counted are so by the pacer, which nobody works beside.
    if (hasFlightLimits({ limiter, ruleSet }) || (await isInCanary(deps, state, { limiter, ruleSet }))) continue;
    const frozen = deps.clock.now();
    const rate = rateOf(limiter, ruleSet, frozen);
    const limit = deps.limitOf(state.cluster);
    const request = { rate, now: frozen, wanted: pods.length, horizon: 0, limit };
    const slots = await reserveSlots(state, limiter, request);
    for (const [i, slot] of slots.entries()) {
      const pod = pods[i];
      if (!pod) continue;
      const reservation = {
        limiter,
        epoch: epoch(limiter),
        slot,
        reservedAt: frozen,
        pace: paceText(limiter, ruleSet),
      };
      taken.set(pod.row.key, { ...pod.ledger, state: 'Reserved', reservation });
    }
  }
  return taken;
}

/** Only a pacer sees who goes with whom, in which order, and how many a taint in slices lists by then. */
function isForPacers(limiter: LimiterId, ruleSet: RuleSet): boolean {
  const policy = policyOf(limiter, ruleSet);
  return policy?.groupBy !== undefined || (limiter.startsWith('slice|') && sliceApprovalNeed(policy) !== undefined);
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
