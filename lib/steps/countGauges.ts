// Counts tainted devices, pending pods and held pods of a cluster for the gauges, over as many invocations as needed.
import { type Gauges, isTolerating, taintedDevices } from '../decide/gauges.ts';
import { rateOf } from '../decide/rate.ts';
import type { LimiterId } from '../model/eviction.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import { placedClaims, placedPodRows } from '../state/clusterPages.ts';
import { beginning, type Place } from '../state/clusterWalk.ts';
import { type Current, currentRuleSet } from '../state/currentRules.ts';
import { hasLimiters } from '../state/limiterRows.ts';
import { waitsForPeople } from '../state/listingRows.ts';
import type { PodRow } from '../state/podRows.ts';
import { placedPools } from '../state/poolPages.ts';
import type { State } from '../state/state.ts';
import { isUnapproved } from './approval.ts';
import { ownsAnything } from './ownedSnapshot.ts';
import type { StepDependencies } from './step.ts';
import { continueSurvey, requestSurvey } from './survey.ts';

type Counts = Omit<Gauges, 'Rules'> & { readonly PodsPending: number; readonly PodsHeld: number };

/** Progress of the count. Pools come first: without a tainted device no claim matters. */
export interface Counted {
  readonly pass: 'Pools' | 'Claims' | 'Pods';
  readonly from: Place;
  readonly counts: Counts;
}

const nothing: Counted = {
  pass: 'Pools',
  from: beginning,
  counts: { TaintedDevices: 0, AllocatedTaintedDevices: 0, ClaimsWithTolerations: 0, PodsPending: 0, PodsHeld: 0 },
};

/** A count that began this long ago is out of date and restarts; even the largest cluster takes less time. */
const oldAfter: Milliseconds = 6 * 60 * 60_000;

export async function requestGauges(deps: StepDependencies, state: State): Promise<void> {
  await requestSurvey(deps, state, { name: 'gauges', begin: nothing });
}

/** Reads the whole cluster, so it does not run every minute, and may continue over several invocations. */
export async function countGauges(deps: StepDependencies, state: State): Promise<void> {
  const by = { begin: nothing, isOf: ({ begunAt }: { begunAt: Instant }) => deps.clock.now() - begunAt < oldAfter };
  const counted = await continueSurvey(deps, state, { name: 'gauges', ...by, walk: (from) => walk(deps, state, from) });
  if (!counted) return;
  const { rules } = await currentRuleSet(state);
  // A CloudWatch metric costs money per hour, so clusters without tainted devices do not emit it.
  if (counted.counts.TaintedDevices > 0)
    deps.metrics.add('Rules', new Set(rules.map(({ uid }) => uid)).size, state.cluster);
  for (const [name, value] of Object.entries(counted.counts))
    deps.metrics.add(name as keyof Counts, value, state.cluster);
}

/** Yields the progress after each page. */
async function* walk(deps: StepDependencies, state: State, from: Counted): AsyncGenerator<Counted, Counted> {
  let counted = from;
  if (counted.pass === 'Pools') counted = { ...nothing, pass: 'Claims', counts: yield* pools(deps, state, counted) };
  if (counted.pass === 'Claims') counted = { ...nothing, pass: 'Pods', counts: yield* claims(state, counted) };
  return { ...counted, counts: yield* pods(deps, state, counted) };
}

type Pass = AsyncGenerator<Counted, Counts>;

async function* pools(deps: StepDependencies, state: State, { from, ...counted }: Counted): Pass {
  let { counts } = counted;
  // Without a taint, allocations and tolerations do not matter, so an idle cluster does not read its claims.
  const needsClaims = (part: Snapshot) => taintedDevices(part).TaintedDevices > 0;
  for await (const { part, behind } of placedPools(state, deps.settings, { from, needsClaims })) {
    const { TaintedDevices, AllocatedTaintedDevices } = taintedDevices(part);
    counts = {
      ...counts,
      TaintedDevices: counts.TaintedDevices + TaintedDevices,
      AllocatedTaintedDevices: counts.AllocatedTaintedDevices + AllocatedTaintedDevices,
    };
    if (behind) yield { ...counted, from: behind, counts };
  }
  return counts;
}

async function* claims(state: State, { from, ...counted }: Counted): Pass {
  let { counts } = counted;
  if (counts.TaintedDevices === 0) return counts;
  for await (const { part, behind } of placedClaims(state, from)) {
    const more = part.filter(isTolerating).length;
    counts = { ...counts, ClaimsWithTolerations: counts.ClaimsWithTolerations + more };
    if (behind) yield { ...counted, from: behind, counts };
  }
  return counts;
}

async function* pods(deps: StepDependencies, state: State, { from, ...counted }: Counted): Pass {
  let { counts } = counted;
  if (!(await hasLimiters(state))) return counts;
  const isHeld = await holding(deps, state);
  for await (const { part, behind } of placedPodRows(state, from)) {
    for (const pod of part) {
      const held = await isHeld(pod);
      if (held === undefined) continue;
      counts = { ...counts, PodsPending: counts.PodsPending + 1, PodsHeld: counts.PodsHeld + (held ? 1 : 0) };
    }
    if (behind) yield { ...counted, from: behind, counts };
  }
  return counts;
}

/** Returns whether a pod is held at all of its limiters; `undefined` where no limiter lists the pod. */
async function holding(deps: StepDependencies, state: State) {
  const ruleSet = await currentRuleSet(state);
  const known = new Map<LimiterId, Promise<boolean>>();
  const moves = (limiter: LimiterId) => {
    const found = known.get(limiter) ?? mayMove(deps, state, { limiter, ruleSet });
    known.set(limiter, found);
    return found;
  };
  return async ({ listed }: PodRow): Promise<boolean | undefined> => {
    const listings = listed.filter(({ group }) => group === undefined);
    if (listings.length === 0) return undefined;
    const free = listings.filter(({ sk }) => !waitsForPeople(sk)).map(({ limiter }) => moves(limiter));
    return !(await Promise.all(free)).includes(true);
  };
}

async function mayMove(
  deps: StepDependencies,
  state: State,
  by: { readonly limiter: LimiterId; readonly ruleSet: Current },
): Promise<boolean> {
  const isOwner = ownsAnything(deps.modesOf(state.cluster));
  const rate = rateOf(by.limiter, by.ruleSet, deps.clock.now());
  return isOwner && rate.perSecond > 0 && !(await isUnapproved(deps, state, by));
}
