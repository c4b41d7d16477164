// Changes the rate of a rule: previews the effect on its backlog, and writes the rate.
import { listOf, objectOf as membersOf, textOf } from '../../adapters/kubernetes/read.ts';
import { planRule } from '../../decide/livePlan.ts';
import { rateAnnotation, writtenRateOf } from '../../decide/rate.ts';
import { isRate } from '../../decide/writtenRate.ts';
import type { TaintRule } from '../../model/rule.ts';
import type { Preview } from '../../view/console/actPage.ts';
import { countText, rateText, withinText } from '../../view/words.ts';
import { nameOf, patchObject, uidOf } from '../cluster/objects.ts';
import { readPicture } from '../cluster/picture.ts';
import { taintsInCluster } from '../cluster/planning.ts';
import { UsageFailure } from '../failure.ts';
import { requireRule, resourceOfRule } from '../get/rules.ts';
import type { Acting } from './acting.ts';
import { uncounted } from './counts.ts';

export async function previewRate(acting: Acting): Promise<Preview> {
  const { cluster, io, request, fields } = acting;
  const picture = await readPicture(cluster);
  const now = io.now();
  const taints = taintsInCluster(await requireRule(cluster, request.name), picture, now);
  const written = writtenRateOf(taints[0]).rate;
  const { rate, problem } = typedRate(fields);
  const unknown = uncounted(acting);
  const before = planRule(taints, picture.snapshot, now);
  const effect =
    unknown === undefined
      ? [
          `Now ${rateText(written)}: ${countText(before.pods.length, 'pod')}${before.takes === undefined ? ', but none while the rate is 0' : ` ${withinText(before.takes)}`}.`,
          ...(rate === undefined
            ? []
            : [
                `At ${rate}/s: ${rate === 0 ? 'no pod is evicted' : timeText(planRule(atRate(taints, rate), picture.snapshot, now).takes)}.`,
              ]),
        ]
      : [`Now ${rateText(written)}. ${unknown}`];
  return {
    title: `Rate of ${request.name}`,
    effect,
    fields: [
      {
        name: 'rate',
        label: 'Evictions a second',
        value: fields.rate ?? String(written.perSecond),
        type: 'number',
        isRequired: true,
        ...(problem === undefined ? {} : { problem }),
      },
    ],
    button: 'Set the rate',
    ...(rate === undefined ? { isOpen: true } : {}),
    ...(unknown === undefined ? {} : { isUncounted: true }),
  };
}

/** Written to the taints if one of them has a rate, which takes precedence over the annotation; else to the annotation. */
export async function writeRate({ cluster, request, fields }: Acting): Promise<readonly string[]> {
  const rate = rateIn(fields);
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

/** The rate that is typed, or why it cannot be used. */
export function typedRate({ rate: text }: Acting['fields']): { readonly rate?: number; readonly problem?: string } {
  if (!text) return {};
  if (isRate(text)) return { rate: Number(text) };
  return { problem: `"${text}" is not a rate: write a number from 0 to 10000 with at most four decimals.` };
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

function timeText(takes: number | undefined): string {
  return takes === undefined ? 'no pod is evicted' : withinText(takes);
}
