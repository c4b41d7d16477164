// Builds the ClusterProgress from facts read elsewhere; pure.
import { pausedBy } from '../model/hold.ts';
import { allOwned, sourcesOfLimiter } from '../model/ownership.ts';
import { compareText } from '../model/snapshot.ts';
import { originKey } from '../model/verdict.ts';
import type { Standing } from '../state/listingRows.ts';
import { staleAfter } from '../state/liveness.ts';
import type { RecentEviction } from '../state/recentRows.ts';
import { tallyOf } from '../state/recordRows.ts';
import { assembleLimiter } from './assembleLimiter.ts';
import { isWithin } from './episodes.ts';
import type { ClusterFacts, LimiterFacts } from './facts.ts';
import { lastEvictionOf } from './lastEviction.ts';
import type { ClusterProgress, LimiterProgress, ProgressState, WatcherProgress } from './progress.ts';
import { nearest, standingAt, tallyStandings } from './standing.ts';
import { isMoving } from './stateLabel.ts';

/** Maximum number of last evictions shown. */
const lastShown = 50;

export function assembleProgress(facts: ClusterFacts): ClusterProgress {
  const watcher = watcherOf(facts);
  const byLimiter = Map.groupBy(facts.recent, (one) => one.limiter ?? '');
  const byTally = evictionsByTally(facts.recent);
  const evictionsOf = (one: LimiterFacts) => {
    const within = ({ at }: RecentEviction) => isWithin(one, at);
    const counted = (byTally.get(tallyOf(one.limiter)) ?? []).filter(within);
    return { recent: (byLimiter.get(one.limiter) ?? []).filter(within), counted };
  };
  const found = facts.limiters.map((one) => ({ one, evictions: evictionsOf(one) }));
  const withPods = found.filter(
    ({ one, evictions: { recent, counted } }) => isOfInterest(one) || recent.length + counted.length > 0,
  );
  const shown = withPods.map(({ one }) => one);
  const assembled = withPods.map(({ one, evictions }) =>
    assembleLimiter(one, { ...evictions, now: facts.now, held: heldBecause(one, facts, watcher) }),
  );
  const several = listedBySeveral(facts);
  const limiters = finishTogether(assembled, shown, several).toSorted(inOrderOfInterest);
  const shared = limiters.filter(({ total }) => total > 0).length > 1 ? countShared(facts, several) : 0;
  return {
    cluster: facts.cluster,
    at: facts.now,
    ...(facts.modes === undefined ? {} : { modes: facts.modes }),
    watcher,
    pods: countPods(facts),
    ...(shared > 0 ? { shared } : {}),
    recent: {
      evicted: facts.recent.filter((one) => one.outcome === 'Evicted').length,
      window: facts.window,
      isPartial: facts.recentIsPartial,
      ...(facts.total === undefined ? {} : { total: facts.total }),
    },
    limiters,
    last: facts.recent.slice(0, lastShown).map(lastEvictionOf),
    plans: facts.plans,
    ...(facts.refused && facts.refused.length > 0 ? { refused: facts.refused } : {}),
  };
}

function watcherOf({ heardAt, now }: ClusterFacts): WatcherProgress {
  if (heardAt === undefined) return { isAlive: false };
  if (heardAt === 'NotRead') return { isAlive: true, isUnread: true };
  const age = Math.max(0, now - heardAt);
  return { lastHeard: heardAt, age, isAlive: age < staleAfter };
}

function heldBecause(
  { limiter, held }: Pick<LimiterFacts, 'limiter' | 'held'>,
  { modes = allOwned, pauses, stopped }: ClusterFacts,
  watcher: WatcherProgress,
): string | undefined {
  const by = sourcesOfLimiter(limiter).map((source) => modes[source]);
  if (!by.includes('own'))
    return by.includes('shadow')
      ? 'shadow mode: Sluice only decides and compares, only another controller may evict'
      : 'switched off for this cluster';
  if (stopped !== undefined) return stopped;
  if (pauses !== '') return `${pausedBy}${pauses}`;
  if (!watcher.isAlive) return 'the watcher is silent, and stale data evicts no pod';
  return held;
}

/** True for existing rules, and for limiters that still list a pod. */
function isOfInterest(facts: LimiterFacts): boolean {
  return (facts.rule !== undefined && !facts.gone) || facts.listed.length > 0;
}

/** A pod of several limiters is evicted with the first token, so none of them needs longer for it than the fastest. */
function finishTogether(
  limiters: readonly LimiterProgress[],
  facts: readonly LimiterFacts[],
  several: ReadonlySet<string>,
): readonly LimiterProgress[] {
  if (several.size === 0) return limiters;
  const finishes = new Map<string, number>();
  for (const [i, { listed }] of facts.entries()) {
    const finishAt = limiters[i]?.finishAt ?? Number.POSITIVE_INFINITY;
    for (const { uid } of listed)
      if (several.has(uid)) finishes.set(uid, Math.min(finishes.get(uid) ?? finishAt, finishAt));
  }
  return limiters.map((one, i) => {
    const { finishAt } = one;
    if (finishAt === undefined) return one;
    const latest = Math.max(...(facts[i]?.listed ?? []).map(({ uid }) => finishes.get(uid) ?? finishAt));
    return latest < finishAt ? { ...one, finishAt: latest } : one;
  });
}

function countPods({ limiters, now }: ClusterFacts): ClusterProgress['pods'] {
  const pods = new Map<string, Standing>();
  for (const listed of limiters.flatMap((one) => one.listed)) {
    const { uid } = listed;
    pods.set(uid, nearest(pods.get(uid), standingAt(listed, now)));
  }
  const { waiting, pending, deleting } = tallyStandings([...pods.values()]);
  return { waiting, pending, deleting };
}

function originsOf({ because }: RecentEviction): readonly string[] {
  return [...new Set(because.map((reason) => tallyOf(originKey(reason))))];
}

function evictionsByTally(recent: readonly RecentEviction[]): ReadonlyMap<string, readonly RecentEviction[]> {
  const evictions = new Map<string, RecentEviction[]>();
  for (const one of recent) {
    for (const tally of originsOf(one)) {
      const known = evictions.get(tally) ?? [];
      evictions.set(tally, known);
      known.push(one);
    }
  }
  return evictions;
}

function listedBySeveral({ limiters }: ClusterFacts): ReadonlySet<string> {
  const listing = limiters.filter(({ listed }) => listed.length > 0);
  const [once, several] = [new Set<string>(), new Set<string>()];
  if (listing.length < 2) return several;
  for (const { listed } of listing) for (const { uid } of listed) (once.has(uid) ? several : once).add(uid);
  return several;
}

/** Pods that several limiters list now, and evicted ones that several rules reached. */
function countShared({ recent, total }: ClusterFacts, several: ReadonlySet<string>): number {
  const evicted = recent.filter((one) => one.outcome === 'Evicted' && originsOf(one).length > 1).length;
  return several.size + (total?.shared ?? evicted);
}

const interest: Readonly<Record<ProgressState, number>> = {
  Evicting: 0,
  Waiting: 1,
  Stopped: 2,
  Completed: 3,
  NotStarted: 4,
  NoEffect: 5,
};

/** Sorts by state; then active limiters by size, which seldom changes, and finished ones latest first; then by name. */
function inOrderOfInterest(a: LimiterProgress, b: LimiterProgress): number {
  const byState = interest[a.state] - interest[b.state];
  if (byState !== 0) return byState;
  const byNeed = isMoving(a) ? b.total - a.total : (b.lastEvictionAt ?? 0) - (a.lastEvictionAt ?? 0);
  return byNeed !== 0 ? byNeed : compareText(a.name, b.name) || compareText(a.limiter, b.limiter);
}
