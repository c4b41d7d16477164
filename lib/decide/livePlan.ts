// A rule's live plan: the pods it would evict now, how long that takes, and the free devices that could replace theirs.

import type { Bucket, LimiterId, Listing } from '../model/eviction.ts';
import { nameKey } from '../model/identity.ts';
import type { Pod } from '../model/objects.ts';
import type { PlannedDevice, PlannedPod, RulePlan } from '../model/plan.ts';
import { ruleLimiter, ruleRef, type TaintRule } from '../model/rule.ts';
import { compareText, type Settings, type Snapshot } from '../model/snapshot.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import { tolerationsOf } from './annotatedTolerations.ts';
import { approvalNeed } from './approval.ts';
import { takeTokens } from './bucket.ts';
import { type AllocatedClaim, consumedClaims } from './consume.ts';
import { matchDevice } from './deviceMatch.ts';
import { evaluatePod, isCounted } from './evaluate.ts';
import { countFree, freeFor } from './freeDevices.ts';
import { holdOf, namespaceHold } from './hold.ts';
import { evictionOrder, listingsOf } from './limiter.ts';
import { inLine } from './line.ts';
import { waysUnder } from './mode.ts';
import { policyOf, rateUnheld } from './rate.ts';
import { evicts } from './taint.ts';
import { toleratedUntil } from './tolerate.ts';

/**
 * The rule as if it evicted from `now` on. When the effect is edited, the API server sets timeAdded to that moment (KEP-5055), so a rule
 * that does not evict yet is planned from `now`; a held rule keeps its own time.
 */
export function actingRule(rule: TaintRule, now: Instant): TaintRule {
  if (rule.taint.effect === 'NoExecute') return rule;
  return { ...rule, taint: { ...rule.taint, effect: 'NoExecute', timeAdded: now } };
}

/** Why the plan of a rule's taint is kept up to date. */
export type PlanGround =
  /** It is a dry run (effect None), or it is held: its pods wait for an operator. */
  | 'Standing'
  /** It may need an approval; annotations and limits alone do not tell whether it has one. */
  | 'PerhapsUnapproved';

/** `undefined` for a taint that evicts now, and for one that never will. */
export function planGround(
  rule: TaintRule,
  { settings, now }: { readonly settings: Pick<Settings, 'holdEmptySelector'>; readonly now: Instant },
): PlanGround | undefined {
  if (rule.taint.effect === 'None') return 'Standing';
  if (!evicts(rule.taint)) return undefined;
  const hold = holdOf(rule, now);
  if (hold) return hold.reason === 'Expired' ? undefined : 'Standing';
  return approvalNeed(rule, settings) ? 'PerhapsUnapproved' : undefined;
}

/**
 * The plan of some taints of one rule, without other rules and slices: taints are additive, so these cannot change which pods this rule
 * reaches. Needs at least one taint.
 */
export function planRule(taints: readonly [TaintRule, ...TaintRule[]], snapshot: Snapshot, now: Instant): RulePlan {
  const by = alone(taints, snapshot, now);
  const found = snapshot.pods.map((pod) => planPod(pod, by));
  const pods = found.flatMap((one) => (one?.kind === 'Planned' ? [one] : [])).sort(inOrder);
  const going = pods.filter(({ planned }) => !planned.paused);
  const takes = durationOf(going, taints, now);
  const free = countFree(snapshot, { asking: by.acting });
  const { name, uid, generation } = taints[0];
  const planned = pods.map((one) => one.planned);
  return {
    rule: { name, uid, generation },
    at: now,
    pods: planned,
    namespaces: new Set(planned.map(({ pod }) => pod.namespace)).size,
    undecided: found.filter((one) => one?.kind === 'Undecided').length,
    free: freeFor(free, { rule: ruleRef(taints[0]), wanted: devicesOf(planned) }),
    ...(takes === undefined ? {} : { takes }),
  };
}

/** Whether and how a rule's taints reach one pod; the snapshot may be limited to the pod's neighbourhood. */
export function planOnePod(
  taints: readonly TaintRule[],
  pod: Pod,
  { snapshot, now }: { readonly snapshot: Snapshot; readonly now: Instant },
): PodInPlan | undefined {
  return planPod(pod, alone(taints, snapshot, now));
}

export function devicesOf(planned: readonly PlannedPod[]): readonly PlannedDevice[] {
  return planned.flatMap(({ claims }) => claims.flatMap(({ devices }) => devices));
}

interface Acting {
  readonly alone: Snapshot;
  readonly acting: readonly TaintRule[];
  readonly now: Instant;
}

/** A snapshot in which only these taints act. */
export function alone(taints: readonly TaintRule[], snapshot: Snapshot, now: Instant): Acting {
  const acting = taints.map((rule) => actingRule(rule, now));
  return { alone: { ...snapshot, rules: acting, nativeSlices: 'Watched', agentTaints: new Map() }, acting, now };
}

export interface Found {
  readonly kind: 'Planned';
  readonly planned: PlannedPod;
  readonly listings: readonly Listing[];
}

/** `undefined`: the pod is kept. */
export type PodInPlan = Found | { readonly kind: 'Undecided' };

function planPod(pod: Pod, by: Acting): PodInPlan | undefined {
  if (!isCounted(pod)) return undefined;
  const verdict = evaluatePod(pod, by.alone);
  if (verdict.kind === 'Keep') return undefined;
  if (verdict.kind === 'Unknown') return { kind: 'Undecided' };
  const isPaused = namespaceHold(by.alone.namespaces?.get(pod.namespace)) !== undefined;
  const wayOf = waysOnceResumed(pod, by.alone);
  const listings = listingsOf(verdict).filter(({ limiter }) => wayOf(limiter).mode !== 'Skip');
  if (listings.length === 0) return undefined;
  // Stryker disable next-line StringLiteral: a pod without a node is never in a plan
  const { namespace, name, uid, nodeName = '', controller, priority } = pod;
  const claims = consumedClaims(pod, by.alone).flatMap((claim) => reachedDevices(claim, by));
  const planned: PlannedPod = {
    pod: { namespace, name, uid },
    node: nodeName,
    ...(controller ? { owner: { kind: controller.kind, name: controller.name } } : {}),
    ...(priority === undefined ? {} : { priority }),
    claims: claims.toSorted((a, b) => compareText(a.name, b.name)),
    ...(isPaused ? { paused: true } : {}),
    tolerated: Math.max(0, verdict.at - by.now),
    order: evictionOrder(pod),
  };
  const inLines = listings.map((one) => inLine(one, pod, policyOf(one.limiter, by.alone)));
  return { kind: 'Planned', planned, listings: inLines };
}

/** A pause ends without another plan or approval, so a plan has the pods of paused namespaces too. */
export function waysOnceResumed(pod: Pod, snapshot: Snapshot): ReturnType<typeof waysUnder> {
  const found = snapshot.namespaces?.get(pod.namespace);
  if (!found?.annotations) return waysUnder(pod, snapshot);
  const { annotations: _, ...namespace } = found;
  return waysUnder(pod, { ...snapshot, namespaces: new Map([[namespace.name, namespace]]) });
}

function reachedDevices(claim: AllocatedClaim, by: Pick<Acting, 'alone' | 'acting'>): PlannedPod['claims'] {
  const devices = claim.allocation.devices.flatMap((result): readonly PlannedDevice[] => {
    const { driver, pool, device, deviceClassName } = result;
    const id = { driver, pool, device };
    const tolerations = tolerationsOf(result, claim);
    const isReached = by.acting.some(
      (rule) =>
        matchDevice(rule, id, by.alone).kind === 'Selected' &&
        toleratedUntil(rule.taint, tolerations, by.alone.settings).kind !== 'Forever',
    );
    return isReached ? [{ ...id, ...(deviceClassName === undefined ? {} : { deviceClassName }) }] : [];
  });
  return devices.length === 0 ? [] : [{ name: claim.name, devices }];
}

/** Order of eviction: by due time, then by the limiter's order. The name comes last, so that the order is the same on every machine. */
export function inOrder({ planned: a }: Pick<Found, 'planned'>, { planned: b }: Pick<Found, 'planned'>): number {
  return a.tolerated - b.tolerated || compareText(a.order, b.order) || compareText(nameKey(a.pod), nameKey(b.pod));
}

/**
 * Time until the last pod's token. Each pod takes the earliest token of any of its limiters, starting from unused buckets without holds;
 * members of a workload share a token if their policy groups them. `undefined` if the rates evict no pod.
 */
export function durationOf(
  pods: Iterable<Pick<Found, 'listings'>>,
  taints: readonly TaintRule[],
  now: Instant,
): Milliseconds | undefined {
  const rates = new Map(taints.map((rule) => [ruleLimiter(actingRule(rule, now)), rateUnheld(rule)]));
  const buckets = new Map<LimiterId, Bucket | undefined>();
  /** By limiter and workload; no entry for pods without a workload. */
  const shared = new Map<string | undefined, Instant>();
  let last = now;
  for (const { listings } of pods) {
    const offers = [...rates].flatMap(([limiter, rate]) =>
      listings
        .filter((one) => one.limiter === limiter)
        .flatMap(({ dueAt, group }) => {
          const from = Math.max(dueAt, now);
          const key = group === undefined ? undefined : `${limiter} ${group}`;
          const known = shared.get(key) ?? Number.NEGATIVE_INFINITY;
          if (known >= from) return [{ limiter, bucket: buckets.get(limiter), at: known, key }];
          const take = { rate, bucket: buckets.get(limiter), wanted: 1, now: from, ahead: Number.POSITIVE_INFINITY };
          const { tokens, bucket } = takeTokens(take);
          return tokens.map((at) => ({ limiter, bucket, at: Math.max(at, from), key }));
        }),
    );
    const [earliest] = offers.sort((a, b) => a.at - b.at);
    if (!earliest) return undefined;
    buckets.set(earliest.limiter, earliest.bucket);
    if (earliest.key !== undefined) shared.set(earliest.key, earliest.at);
    last = Math.max(last, earliest.at);
  }
  return last - now;
}
