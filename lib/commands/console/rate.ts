// Changes the rate of a rule: previews the effect on its backlog, and writes the rate.
import { listOf, objectOf as membersOf, textOf } from '../../adapters/kubernetes/read.ts';
import { policyResource } from '../../adapters/kubernetes/servedVersion.ts';
import { planRule } from '../../decide/livePlan.ts';
import { planHold } from '../../decide/planHold.ts';
import { countPaused } from '../../decide/planReport.ts';
import { rateAnnotation, writtenRateOf } from '../../decide/rate.ts';
import type { TaintRule } from '../../model/rule.ts';
import type { Preview } from '../../view/console/actPage.ts';
import { countText, planTimeText, rateText } from '../../view/words.ts';
import { nameOf, patchObject, uidOf } from '../cluster/objects.ts';
import { readPicture } from '../cluster/picture.ts';
import { budgetUseOf, taintsInCluster, toldOf } from '../cluster/planning.ts';
import { UsageFailure } from '../failure.ts';
import { requirePolicy } from '../get/policies.ts';
import { requireRule, resourceOfRule } from '../get/rules.ts';
import type { Acting } from './acting.ts';
import { uncounted } from './counts.ts';
import { previewPolicyRate } from './policyRate.ts';
import { rateForm, typedRate, typedText } from './rateForm.ts';

export async function previewRate(acting: Acting): Promise<Preview> {
  const { cluster, io, request, fields } = acting;
  if (request.kind === 'policy') return previewPolicyRate(acting);
  const picture = await readPicture(cluster);
  const now = io.now();
  const object = await requireRule(cluster, request.name);
  const taints = taintsInCluster(object, picture, now);
  const written = writtenRateOf(taints[0]).rate;
  const { rate } = typedRate(fields);
  const unknown = uncounted(acting);
  const plan = planRule(taints, picture.snapshot, now);
  const { pods, takes } = plan;
  const held = planHold(taints, { now, stopped: picture.stopped, told: toldOf(object, { taints, picture, plan }) });
  const counted = countText(pods.length, 'pod');
  const paused = countPaused(pods);
  const typed =
    rate === undefined || (paused > 0 && paused === pods.length)
      ? []
      : [typedText(rate, planRule(atRate(taints, rate), picture.snapshot, now).takes)];
  const effect =
    unknown === undefined
      ? [`Now ${rateText(written)}: ${counted}${planTimeText({ takes, held, pods: pods.length, paused })}.`, ...typed]
      : [`Now ${rateText(written)}. ${unknown}`];
  const use = unknown === undefined ? await budgetUseOf(cluster, pods) : undefined;
  return rateForm(`Rate of ${request.name}`, { fields, written: written.perSecond, effect, use, unknown });
}

/** Written to the taints if one of them has a rate, which takes precedence over the annotation; else to the annotation. */
export async function writeRate({ cluster, request, fields }: Acting): Promise<readonly string[]> {
  const rate = rateIn(fields);
  if (request.kind === 'policy') {
    const policy = await requirePolicy(cluster, request.name);
    const patch = { metadata: { uid: uidOf(policy) }, spec: { evictionsPerSecond: rate } };
    await patchObject(cluster, { resource: policyResource, name: request.name }, patch);
    return [`EvictionPolicy ${request.name}: ${rate}/s, set in spec.evictionsPerSecond`];
  }
  const rule = await requireRule(cluster, request.name);
  const taints = listOf(membersOf(rule.spec).taints);
  const isOwn = taints.some(({ evictionsPerSecond }) => evictionsPerSecond !== undefined);
  const patch = isOwn
    ? {
        metadata: { uid: uidOf(rule), resourceVersion: textOf(membersOf(rule.metadata).resourceVersion) },
        spec: { taints: taints.map((one) => ({ ...one, evictionsPerSecond: rate })) },
      }
    : { metadata: { uid: uidOf(rule), annotations: { [rateAnnotation]: String(rate) } } };
  await patchObject(cluster, { resource: resourceOfRule(rule), name: nameOf(rule) }, patch);
  return [`${request.name}: ${rate}/s, ${isOwn ? 'set in spec.taints' : `annotated ${rateAnnotation}`}`];
}

function rateIn(fields: Acting['fields']): number {
  const { rate, problem } = typedRate(fields);
  if (rate === undefined) throw new UsageFailure(problem ?? 'no rate is given: write a number of evictions a second');
  return rate;
}

function atRate(taints: readonly [TaintRule, ...TaintRule[]], rate: number): readonly [TaintRule, ...TaintRule[]] {
  const changed = (rule: TaintRule): TaintRule => ({ ...rule, taint: { ...rule.taint, evictionsPerSecond: rate } });
  const [first, ...rest] = taints;
  return [changed(first), ...rest.map(changed)];
}
