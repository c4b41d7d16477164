// Eviction progress of a cluster from a kubeconfig only: objects, conditions and Events; pure.
import { conditionsOf } from '../../adapters/kubernetes/projectRule.ts';
import type { Json } from '../../adapters/kubernetes/read.ts';
import { takeTokens } from '../../decide/bucket.ts';
import { evaluatePod } from '../../decide/evaluate.ts';
import { listingsOf } from '../../decide/limiter.ts';
import { waysUnder } from '../../decide/mode.ts';
import { policyOf, rateWritten } from '../../decide/rate.ts';
import type { Bucket, LimiterId, Rate } from '../../model/eviction.ts';
import { ruleLimiter, type TaintRule } from '../../model/rule.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import { farFuture, type Instant } from '../../model/time.ts';
import { instantText } from '../../state/keys.ts';
import { pendingPrefix, waitingPrefix } from '../../state/listingRows.ts';
import type { RecentEviction } from '../../state/recentRows.ts';
import { assembleProgress } from '../../view/assemble.ts';
import type { LimiterFacts } from '../../view/facts.ts';
import type { ClusterProgress } from '../../view/progress.ts';
import { recentWindow } from '../../view/readModel.ts';
import type { Picture } from '../cluster/assemble.ts';
import { nameOf, uidOf } from '../cluster/objects.ts';
import { heldMessage } from '../get/rules.ts';
import { evictionOf, isOfToday } from './evictionEvents.ts';

export interface Shown {
  /** Name of the kubeconfig context. */
  readonly cluster: string;
  readonly now: Instant;
  readonly picture: Picture;
  /** Full API objects, with conditions. */
  readonly rules: readonly Json[];
  readonly policies: readonly Json[];
  readonly events: readonly Json[];
  /** Totals of the previous frame; absent for a single one. */
  readonly totals?: Totals;
}

/** Evicted and listed pods of each rule and generation. */
export type Totals = ReadonlyMap<string, number>;

/**
 * For the next frame: while a rule has pods, its total does not fall, because a pod that is gone counts as evicted only once its Event
 * is written.
 */
export function totalsOf({ limiters }: ClusterProgress, { snapshot }: Picture): Totals {
  const known = new Map(snapshot.rules.map((rule) => [ruleLimiter(rule), rule]));
  return new Map(
    limiters.flatMap(({ limiter, total }) => {
      const rule = known.get(limiter);
      return rule ? [[totalKey(limiter, rule), total] as const] : [];
    }),
  );
}

function totalKey(limiter: LimiterId, { generation }: TaintRule): string {
  return `${limiter}@${generation}`;
}

export function progressOf({
  cluster,
  now,
  picture,
  rules,
  policies,
  events,
  totals = new Map(),
}: Shown): ClusterProgress {
  const { snapshot, stopped } = picture;
  const evictions = events
    .flatMap((one) => evictionOf(one, snapshot.rules) ?? [])
    .filter((one) => isOfToday(one, snapshot.rules))
    .sort((a, b) => b.at - a.at);
  const listed = listedIn(snapshot, now);
  const known = new Map(snapshot.rules.map((rule) => [ruleLimiter(rule), rule]));
  const limiters = new Set([...known.keys(), ...listed.keys()]);
  return assembleProgress({
    cluster,
    now,
    heardAt: 'NotRead',
    pauses: '',
    ...(stopped === undefined ? {} : { stopped: sentence(stopped) }),
    plans: [],
    limiters: [...limiters].map((limiter) =>
      limiterFacts(limiter, { snapshot, rule: known.get(limiter), listed, evictions, rules, policies, totals }),
    ),
    recent: evictions.filter(({ at }) => at >= now - recentWindow),
    recentIsPartial: false,
    window: recentWindow,
  });
}

/** Removes the full stop, to embed a condition's message in another sentence. */
function sentence(text: string): string {
  return text.replace(/\.$/, '');
}

type Listed = ReadonlyMap<LimiterId, LimiterFacts['listed']>;

/** Pending and waiting pods by limiter. Leaves out pods that no taint evicts and terminating pods. */
function listedIn(snapshot: Snapshot, now: Instant): Listed {
  const listed = new Map<LimiterId, LimiterFacts['listed'][number][]>();
  for (const pod of snapshot.pods) {
    if (pod.deletionTimestamp !== undefined || !pod.nodeName) continue;
    const verdict = evaluatePod(pod, snapshot);
    if (verdict.kind !== 'EvictAt') continue;
    const wayOf = waysUnder(pod, snapshot);
    for (const { limiter, dueAt } of listingsOf(verdict)) {
      const at = wayOf(limiter).mode === 'Skip' ? farFuture : dueAt;
      const sk = at > now ? `${waitingPrefix}${instantText(at)}#${pod.uid}` : `${pendingPrefix}${pod.uid}`;
      listed.set(limiter, [...(listed.get(limiter) ?? []), { uid: pod.uid, sk }]);
    }
  }
  return listed;
}

interface Around extends Pick<Shown, 'rules' | 'policies'> {
  readonly totals: Totals;
  readonly snapshot: Snapshot;
  readonly rule: TaintRule | undefined;
  readonly listed: Listed;
  /** Newest first. */
  readonly evictions: readonly RecentEviction[];
}

function limiterFacts(limiter: LimiterId, around: Around): LimiterFacts {
  const { snapshot, rule, listed, evictions } = around;
  const { policies = [] } = snapshot;
  const own = evictions.filter((one) => one.limiter === limiter);
  const rate = rateWritten(limiter, snapshot);
  const pods = listed.get(limiter) ?? [];
  const lastTotal = rule && pods.length > 0 ? around.totals.get(totalKey(limiter, rule)) : undefined;
  const [bucket, held] = [bucketAfter(own, rate), heldOf(limiter, around)];
  return {
    limiter,
    ...(rule ? { rule } : { policies }),
    gone: false,
    isEvaluating: false,
    listed: pods,
    ...(lastTotal === undefined ? {} : { lastTotal }),
    isPartial: false,
    evicted: Math.max(own.length, evictedSaid(around)),
    ...(bucket === undefined ? {} : { bucket }),
    ...(held === undefined ? {} : { held: sentence(held) }),
  };
}

/** Reconstructs the evictor's token bucket: each Event took one token. */
function bucketAfter(newestFirst: readonly RecentEviction[], rate: Rate): Bucket | undefined {
  return newestFirst.toReversed().reduce<Bucket | undefined>((bucket, { at }) => {
    return takeTokens({ rate, bucket, now: at, wanted: 1, ahead: Number.POSITIVE_INFINITY }).bucket;
  }, undefined);
}

/** The evictor's count in the rule's condition, for the whole rule: Events are kept for one hour only. */
function evictedSaid({ rule, rules, snapshot }: Around): number {
  const isOnlyTaint = rule !== undefined && snapshot.rules.filter(({ uid }) => uid === rule.uid).length === 1;
  const written = isOnlyTaint ? rules.find((one) => uidOf(one) === rule.uid) : undefined;
  const said = written && conditionsOf(written).find(({ type }) => type === 'EvictionInProgress')?.message;
  return Number(/(\d+) pods? evicted since/.exec(said ?? '')?.[1] ?? 0);
}

function heldOf(limiter: LimiterId, { rule, rules, policies, snapshot }: Around): string | undefined {
  const written = rule && rules.find((one) => uidOf(one) === rule.uid);
  if (written) return heldMessage(written);
  const policy = policyOf(limiter, snapshot);
  const object = policy && policies.find((one) => nameOf(one) === policy.name);
  const held = object && conditionsOf(object).find(({ type }) => type === 'sluice.dev/Held');
  return held?.status === 'True' ? held.message : undefined;
}
