// The progress of a cluster's evictions as a kubeconfig alone shows it: objects, their conditions, and Events; pure.
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
  /** Name of the context. */
  readonly cluster: string;
  readonly now: Instant;
  readonly picture: Picture;
  /** As the API server has them: rules with their conditions, policies likewise. */
  readonly rules: readonly Json[];
  readonly policies: readonly Json[];
  readonly events: readonly Json[];
}

export function progressOf({ cluster, now, picture, rules, policies, events }: Shown): ClusterProgress {
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
      limiterFacts(limiter, { snapshot, rule: known.get(limiter), listed, evictions, rules, policies }),
    ),
    recent: evictions.filter(({ at }) => at >= now - recentWindow),
    recentIsPartial: false,
    window: recentWindow,
  });
}

/** A sentence of a condition as a part of another one. */
function sentence(text: string): string {
  return text.replace(/\.$/, '');
}

type Listed = ReadonlyMap<LimiterId, LimiterFacts['listed']>;

/** A pod whose taints let it stay stands nowhere; one that is terminating has gone already. */
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
  const [bucket, held] = [bucketAfter(own, rate), heldOf(limiter, around)];
  return {
    limiter,
    ...(rule ? { rule } : { policies }),
    gone: false,
    isEvaluating: false,
    listed: listed.get(limiter) ?? [],
    isPartial: false,
    evicted: Math.max(own.length, evictedSaid(around)),
    ...(bucket === undefined ? {} : { bucket }),
    ...(held === undefined ? {} : { held: sentence(held) }),
  };
}

/** As its evictor has it, as far as Events tell: each of them took a token. */
function bucketAfter(newestFirst: readonly RecentEviction[], rate: Rate): Bucket | undefined {
  return newestFirst.toReversed().reduce<Bucket | undefined>((bucket, { at }) => {
    return takeTokens({ rate, bucket, now: at, wanted: 1, ahead: Number.POSITIVE_INFINITY }).bucket;
  }, undefined);
}

/** Counted by the evictor, for the whole rule; an Event is kept for an hour only. */
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
