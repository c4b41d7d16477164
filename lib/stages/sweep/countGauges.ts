// Counts how much there is to evict in a cluster and what waits, for the gauges: every row once, a page at a time.
import { type Gauges, isTolerating, taintedDevices } from '../../decide/gauges.ts';
import { rateOf } from '../../decide/rate.ts';
import type { LimiterId } from '../../model/eviction.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import { claimPages, podRowPages, poolPages } from '../../state/clusterPages.ts';
import { readLimiters } from '../../state/limiterRows.ts';
import { waitsForPeople } from '../../state/listingRows.ts';
import { type Current, currentRuleSet } from '../../state/neighbourhood.ts';
import type { State } from '../../state/state.ts';
import { isUnapproved } from '../../steps/approval.ts';
import { ownsAnything } from '../../steps/ownedSnapshot.ts';
import type { StepDependencies } from '../../steps/step.ts';

/** Reads the whole cluster, hence not each minute. */
export async function countGauges(deps: StepDependencies, state: State): Promise<void> {
  const ruleSet = await currentRuleSet(state);
  const devices = await countDevices(deps, state);
  const gauges = { ...devices, ...(await countPods(deps, state, ruleSet)) };
  // Rules that match nothing say nothing, and a metric is paid for by the hour.
  if (devices.TaintedDevices > 0)
    deps.metrics.add('Rules', new Set(ruleSet.rules.map(({ uid }) => uid)).size, state.cluster);
  for (const [name, value] of Object.entries(gauges))
    deps.metrics.add(name as keyof typeof gauges, value, state.cluster);
}

async function countDevices(deps: StepDependencies, state: State): Promise<Omit<Gauges, 'Rules'>> {
  const counts = { TaintedDevices: 0, AllocatedTaintedDevices: 0, ClaimsWithTolerations: 0 };
  // Without a taint no allocation and no toleration matters, and an idle cluster costs no reading of its claims.
  const isTainted = (part: Snapshot) => taintedDevices(part).TaintedDevices > 0;
  for await (const part of poolPages(state, deps.settings, isTainted)) {
    const { TaintedDevices, AllocatedTaintedDevices } = taintedDevices(part);
    counts.TaintedDevices += TaintedDevices;
    counts.AllocatedTaintedDevices += AllocatedTaintedDevices;
  }
  if (counts.TaintedDevices > 0)
    for await (const claims of claimPages(state)) counts.ClaimsWithTolerations += claims.filter(isTolerating).length;
  return counts;
}

async function countPods(deps: StepDependencies, state: State, ruleSet: Current) {
  const now = deps.clock.now();
  const isOwner = ownsAnything(deps.modesOf(state.cluster));
  const known = new Map<LimiterId, Promise<boolean>>();
  const find = async (limiter: LimiterId) =>
    isOwner && rateOf(limiter, ruleSet, now).perSecond > 0 && !(await isUnapproved(deps, state, { limiter, ruleSet }));
  const moves = (limiter: LimiterId) => {
    const found = known.get(limiter) ?? find(limiter);
    known.set(limiter, found);
    return found;
  };
  const counts = { PodsPending: 0, PodsHeld: 0 };
  if ((await readLimiters(state)).length === 0) return counts;
  for await (const pods of podRowPages(state)) {
    for (const { listed } of pods) {
      const listings = listed.filter(({ group }) => group === undefined);
      if (listings.length === 0) continue;
      counts.PodsPending++;
      const free = listings.filter(({ sk }) => !waitsForPeople(sk)).map(({ limiter }) => moves(limiter));
      if (!(await Promise.all(free)).includes(true)) counts.PodsHeld++;
    }
  }
  return counts;
}
