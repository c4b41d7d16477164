// Sentences with the number of pods that an action concerns, or that they are not counted yet.
import { stopOf } from '../../adapters/kubernetes/evictionStop.ts';
import type { Json } from '../../adapters/kubernetes/read.ts';
import { stopResource } from '../../adapters/kubernetes/servedVersion.ts';
import { evaluatePod, isCounted } from '../../decide/evaluate.ts';
import { heldText, planHold } from '../../decide/planHold.ts';
import { policyHold } from '../../decide/policy.ts';
import { policyOf, type RuleSet } from '../../decide/rate.ts';
import type { LimiterId } from '../../model/eviction.ts';
import type { Pod } from '../../model/objects.ts';
import { ruleLimiter } from '../../model/rule.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import type { EvictionStop } from '../../model/stop.ts';
import type { Instant } from '../../model/time.ts';
import { originKey, type Reason } from '../../model/verdict.ts';
import { countText } from '../../view/words.ts';
import { listObjects, uidOf } from '../cluster/objects.ts';
import { readPicture } from '../cluster/picture.ts';
import { taintsInCluster } from '../cluster/planning.ts';
import { timed } from '../cluster/timed.ts';
import type { Acting } from './acting.ts';

/** Absent once every kind of the cluster was read: before that, each count would be too small. */
export function uncounted({ reading }: Pick<Acting, 'reading'>): string | undefined {
  return reading && `Pods are not counted yet: ${reading.done} of ${reading.of} kinds of objects are read.`;
}

/** The cluster as the action counts it: with the rule even if it is newer than the picture, and with a time for each taint. */
export async function countedIn({ cluster, io }: Acting, object?: Json): Promise<Snapshot> {
  const { snapshot } = await readPicture(cluster);
  const isRule = object?.kind === 'DeviceTaintRule' || object?.kind === 'PacedTaintRule';
  const isNew = isRule && !snapshot.rules.some(({ uid }) => uid === uidOf(object));
  const rules = isNew ? [...snapshot.rules, ...taintsInCluster(object, { snapshot }, io.now())] : snapshot.rules;
  return timed({ ...snapshot, rules }, io.now());
}

/**
 * EvictionStops but the one that the action ends, by default that of the console; none if they cannot be read, which has a notice of
 * its own.
 */
export async function stopsBeside({ cluster, request }: Acting, own: string): Promise<readonly EvictionStop[]> {
  const ended = request.action === 'resume' && request.kind === 'everything' ? (request.pause ?? own) : undefined;
  const found = await listObjects(cluster, stopResource).catch(() => []);
  return found.map(stopOf).filter(({ name }) => name !== ended);
}

/** What holds every one of these taints; `undefined` if one of them, or none at all, evicts. */
export function heldLimiters(limiters: readonly LimiterId[], ruleSet: RuleSet, now: Instant): string | undefined {
  const holds = limiters.map((limiter) => {
    const rule = ruleSet.rules.find((one) => ruleLimiter(one) === limiter);
    const policy = policyOf(limiter, ruleSet);
    return rule ? planHold([rule], { now }) : policy && heldText(policyHold(policy, now), {});
  });
  return holds.includes(undefined) || holds.length === 0 ? undefined : [...new Set(holds)].join('; ');
}

/** What becomes of the pods of rules that are deleted. */
export function untaintText(uids: ReadonlySet<string>, snapshot: Snapshot): string {
  const without = { ...snapshot, rules: snapshot.rules.filter(({ uid }) => !uids.has(uid)) };
  const mine = podsWith(snapshot, ({ origin }) => origin.kind === 'Rule' && uids.has(origin.uid));
  const still = mine.filter((pod) => evaluatePod(pod, without).kind === 'EvictAt').length;
  const kept = mine.length - still;
  const other = `${countText(still, 'pod')} ${still === 1 ? 'is' : 'are'} still evicted, because of another taint.`;
  return `${countText(kept, 'pod')} ${kept === 1 ? 'is' : 'are'} not evicted any more.${still === 0 ? '' : ` ${other}`}`;
}

/** Pods that taints in slices under the policy evict, which is what an approval on the policy is about. */
export function sliceTaintsText(policy: string, snapshot: Snapshot, now: Instant): string {
  const mine = podsWith(
    snapshot,
    (reason) => reason.origin.kind === 'Slice' && policyOf(originKey(reason), snapshot)?.name === policy,
  );
  const namespaces = new Set(mine.map(({ namespace }) => namespace)).size;
  const known = snapshot.policies?.find(({ name }) => name === policy);
  const hold = known && policyHold(known, now);
  return `${countText(mine.length, 'pod')} in ${countText(namespaces, 'namespace')} can be evicted once it is approved: those with devices that taints in slices under this policy reach.${hold ? ` None now: ${hold.message}` : ''}`;
}

/** Pods, terminating ones left out, with a reason that `concerns` accepts. */
function podsWith(snapshot: Snapshot, concerns: (reason: Reason) => boolean): readonly Pod[] {
  return snapshot.pods.filter((pod) => {
    if (!isCounted(pod)) return false;
    const verdict = evaluatePod(pod, snapshot);
    return verdict.kind === 'EvictAt' && verdict.because.some(concerns);
  });
}
