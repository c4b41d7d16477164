// The pods that a rule would evict if its effect were NoExecute now, how long that takes, and where they could go.
import { nameKey } from '../model/identity.ts';
import type { DeviceTaint, Pod } from '../model/objects.ts';
import type { PlannedPod, RulePlan } from '../model/plan.ts';
import { ruleLimiter, type TaintRule } from '../model/rule.ts';
import { compareText, type Snapshot } from '../model/snapshot.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import { tolerationsOf } from './annotatedTolerations.ts';
import { type AllocatedClaim, consumedClaims } from './consume.ts';
import { matchDevice } from './deviceMatch.ts';
import { evaluatePod, isCounted } from './evaluate.ts';
import { freeDevices } from './freeDevices.ts';
import { evictionOrder } from './limiter.ts';
import { isSkipped } from './mode.ts';
import { reserve } from './pace.ts';
import { rateOf } from './rate.ts';
import { toleratedUntil } from './tolerate.ts';

/**
 * The rule as it would act from `now` on. Editing the effect makes the API server set timeAdded to that moment (semantics.md
 * 1.5), so a rule that does not evict yet is planned from `now`; one that is held has its own time.
 */
export function actingRule(rule: TaintRule, now: Instant): TaintRule {
  if (rule.taint.effect === 'NoExecute') return rule;
  return { ...rule, taint: { ...rule.taint, effect: 'NoExecute', timeAdded: now } };
}

/** Whether a rule has a plan that is kept up to date: one that is asked what it would do, and does not do it. */
export function hasPlan(rule: TaintRule): boolean {
  return rule.taint.effect === 'None';
}

/** What one rule alone would do; taints are additive, so no other rule and no slice could change whom it reaches. */
export function planRule(rule: TaintRule, snapshot: Snapshot, now: Instant): RulePlan {
  const acting = actingRule(rule, now);
  const alone: Snapshot = { ...snapshot, rules: [acting], nativeSlices: 'Watched', agentTaints: new Map() };
  const found = snapshot.pods.map((pod) => planPod(pod, { alone, acting, now }));
  const pods = found.flatMap((one) => (one?.kind === 'Planned' ? [one.planned] : [])).sort(inOrder);
  const takes = durationOf(pods, rule, now);
  const { name, uid, generation } = rule;
  return {
    rule: { name, uid, generation },
    at: now,
    pods,
    namespaces: new Set(pods.map(({ pod }) => pod.namespace)).size,
    undecided: found.filter((one) => one?.kind === 'Undecided').length,
    free: freeDevices(pods, { ...snapshot, rules: [...snapshot.rules, acting] }),
    ...(takes === undefined ? {} : { takes }),
  };
}

/** Whether and how one rule reaches one pod of a snapshot; the pod's neighbourhood is enough. */
export function planOnePod(
  rule: TaintRule,
  pod: Pod,
  { snapshot, now }: { readonly snapshot: Snapshot; readonly now: Instant },
): PlannedPod | undefined {
  const acting = actingRule(rule, now);
  const planned = planPod(pod, {
    alone: { ...snapshot, rules: [acting], nativeSlices: 'Watched', agentTaints: new Map() },
    acting,
    now,
  });
  return planned?.kind === 'Planned' ? planned.planned : undefined;
}

interface Acting {
  readonly alone: Snapshot;
  readonly acting: TaintRule;
  readonly now: Instant;
}

type Found = { readonly kind: 'Planned'; readonly planned: PlannedPod } | { readonly kind: 'Undecided' } | undefined;

function planPod(pod: Pod, { alone, acting, now }: Acting): Found {
  if (!isCounted(pod) || isSkipped(pod)) return undefined;
  const verdict = evaluatePod(pod, alone);
  if (verdict.kind === 'Keep') return undefined;
  if (verdict.kind === 'Unknown') return { kind: 'Undecided' };
  // Stryker disable next-line StringLiteral: a pod without a node is never planned
  const { namespace, name, uid, nodeName = '', controller, priority } = pod;
  const claims = consumedClaims(pod, alone).flatMap((claim) => reachedDevices(claim, { alone, acting }));
  const planned: PlannedPod = {
    pod: { namespace, name, uid },
    node: nodeName,
    ...(controller ? { owner: { kind: controller.kind, name: controller.name } } : {}),
    ...(priority === undefined ? {} : { priority }),
    claims: claims.toSorted((a, b) => compareText(a.name, b.name)),
    tolerated: Math.max(0, verdict.at - now),
    order: evictionOrder(pod),
  };
  return { kind: 'Planned', planned };
}

function reachedDevices(
  claim: AllocatedClaim,
  { alone, acting }: Pick<Acting, 'alone' | 'acting'>,
): PlannedPod['claims'] {
  const devices = claim.allocation.devices.flatMap((result) => {
    const id = { driver: result.driver, pool: result.pool, device: result.device };
    const tolerations = tolerationsOf(result, claim);
    const isReached =
      matchDevice(acting, id, alone).kind === 'Selected' && !isForever(acting.taint, { tolerations, alone });
    return isReached ? [id] : [];
  });
  return devices.length === 0 ? [] : [{ name: claim.name, devices }];
}

function isForever(
  taint: DeviceTaint,
  by: { readonly tolerations: Parameters<typeof toleratedUntil>[1]; readonly alone: Snapshot },
): boolean {
  return toleratedUntil(taint, by.tolerations, by.alone.settings).kind === 'Forever';
}

/** Those that are due together go as the limiter hands out slots; names make the order the same on every machine. */
function inOrder(a: PlannedPod, b: PlannedPod): number {
  return a.tolerated - b.tolerated || compareText(a.order, b.order) || compareText(nameKey(a.pod), nameKey(b.pod));
}

/** The last pod's slot in a bucket that nobody has used yet; `undefined` where the rate lets nobody go. */
function durationOf(pods: readonly PlannedPod[], rule: TaintRule, now: Instant): Milliseconds | undefined {
  const rate = rateOf(ruleLimiter(rule), { rules: [rule] }, now);
  let bucket: ReturnType<typeof reserve>['bucket'];
  let last = now;
  for (const [tolerated, together] of Map.groupBy(pods, (one) => one.tolerated)) {
    const due = now + tolerated;
    const reserved = reserve(bucket, { rate, wanted: together.length, now: due });
    const slot = reserved.slots.at(-1);
    if (slot === undefined) return undefined;
    bucket = reserved.bucket;
    last = Math.max(last, due, slot);
  }
  return last - now;
}
