// Previews the rate of an EvictionPolicy: how long the pods under it take now, and at the rate that is typed.
import { conditionsOf } from '../../adapters/kubernetes/projectRule.ts';
import { takeTokens } from '../../decide/bucket.ts';
import { evaluatePod, isCounted } from '../../decide/evaluate.ts';
import { listingsOf } from '../../decide/limiter.ts';
import { heldText, toldHold } from '../../decide/planHold.ts';
import { policyHold } from '../../decide/policy.ts';
import { policyOf, rateWritten } from '../../decide/rate.ts';
import { readRate } from '../../decide/writtenRate.ts';
import type { EvictionPolicy } from '../../model/policy.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import type { Instant } from '../../model/time.ts';
import type { Preview } from '../../view/console/actPage.ts';
import { countText, planTimeText, rateText } from '../../view/words.ts';
import { readPicture } from '../cluster/picture.ts';
import { budgetUseOf } from '../cluster/planning.ts';
import { requirePolicy } from '../get/policies.ts';
import { podsKept } from '../pause/kept.ts';
import type { Acting } from './acting.ts';
import { countedIn, uncounted } from './counts.ts';
import { rateForm, typedRate, typedText } from './rateForm.ts';

/** The rate of a policy is that of each taint that it selects and that has none of its own. */
export async function previewPolicyRate(acting: Acting): Promise<Preview> {
  const { cluster, io, request, fields } = acting;
  const object = await requirePolicy(cluster, request.name);
  const now = io.now();
  const { stopped } = await readPicture(cluster);
  const snapshot = await countedIn(acting);
  const policy = snapshot.policies?.find(({ name }) => name === request.name);
  const written = readRate({ perSecond: undefined, burst: undefined, policy }).rate;
  const { rate } = typedRate(fields);
  const unknown = uncounted(acting);
  const pods = podsKept({ kind: 'policy', name: request.name }, snapshot);
  const whose = 'for each taint that it selects and that has no rate of its own';
  const takesIn = (seen: Snapshot) => lastOf(seen, request.name, now);
  const takes = takesIn(snapshot);
  const told = toldHold(conditionsOf(object));
  const held = heldText(policy && policyHold(policy, now), { stopped, told });
  const counted = [
    `Now ${rateText(written)}, ${whose}: ${countText(pods.length, 'pod')}${planTimeText({ takes, held })}.`,
    ...(rate === undefined ? [] : [typedText(rate, takesIn(pacedAt(snapshot, request.name, rate)))]),
  ];
  const effect = unknown === undefined ? counted : [`Now ${rateText(written)}, ${whose}. ${unknown}`];
  const use = unknown === undefined ? await budgetUseOf(cluster, pods) : undefined;
  return rateForm(`Rate of EvictionPolicy ${request.name}`, {
    fields,
    written: written.perSecond,
    effect,
    use,
    unknown,
  });
}

/** The cluster as if the policy had another rate. */
function pacedAt(snapshot: Snapshot, name: string, rate: number): Snapshot {
  const changed = (policy: EvictionPolicy) => (policy.name === name ? { ...policy, evictionsPerSecond: rate } : policy);
  return {
    ...snapshot,
    policies: (snapshot.policies ?? []).map(changed),
    rules: snapshot.rules.map((rule) => (rule.policy ? { ...rule, policy: changed(rule.policy) } : rule)),
  };
}

/** Time until the last token of the slowest taint under the policy; absent if the rate of one evicts no pod. */
function lastOf(snapshot: Snapshot, policy: string, now: Instant): number | undefined {
  const pods = new Map<string, number>();
  for (const pod of snapshot.pods.filter(isCounted)) {
    const verdict = evaluatePod(pod, snapshot);
    if (verdict.kind !== 'EvictAt') continue;
    for (const { limiter } of listingsOf(verdict)) pods.set(limiter, (pods.get(limiter) ?? 0) + 1);
  }
  const ends = [...pods]
    .filter(([limiter]) => policyOf(limiter, snapshot)?.name === policy)
    .map(([limiter, wanted]) => {
      const rate = rateWritten(limiter, snapshot);
      const { tokens } = takeTokens({ rate, bucket: undefined, now, wanted, ahead: Number.POSITIVE_INFINITY });
      return tokens[wanted - 1] ?? Number.POSITIVE_INFINITY;
    });
  const takes = Math.max(now, ...ends) - now;
  return Number.isFinite(takes) ? takes : undefined;
}
