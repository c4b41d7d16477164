// Taints in slices as the console shows them: where each one stands, its links, its plan and what is known about it.
import { conditionsOf } from '../../adapters/kubernetes/projectRule.ts';
import type { Json } from '../../adapters/kubernetes/read.ts';
import { takeTokens } from '../../decide/bucket.ts';
import { evaluatePod, isCounted } from '../../decide/evaluate.ts';
import { evictionOrder } from '../../decide/limiter.ts';
import { heldText, toldHold } from '../../decide/planHold.ts';
import { policyHold } from '../../decide/policy.ts';
import { policyOf, rateWritten } from '../../decide/rate.ts';
import type { RulePlan } from '../../model/plan.ts';
import { ruleLimiter } from '../../model/rule.ts';
import type { SliceTaint, Snapshot } from '../../model/snapshot.ts';
import type { Instant } from '../../model/time.ts';
import { originKey, sliceLimiter } from '../../model/verdict.ts';
import type { SliceRow } from '../../view/console/ruleTools.ts';
import { budgetTexts, countText, planTimeText, rateText } from '../../view/words.ts';
import type { Picture } from '../cluster/assemble.ts';
import { nameOf } from '../cluster/objects.ts';
import type { OpenCluster } from '../cluster/open.ts';
import { budgetUseOf } from '../cluster/planning.ts';
import { timed } from '../cluster/timed.ts';
import { approvalWritten } from '../get/policies.ts';
import { findOffer } from '../verbs/approve.ts';
import { resumeOf, type Situation } from './frame.ts';

type Limiter = string;

/** `DRIVER/KEY=VALUE:EFFECT`, and `@RATE/BURST` for a taint with a rate of its own; addresses of pages contain it. */
export function taintName(limiter: Limiter): string {
  const [, driver = '', key = '', value = '', effect = '', rates] = limiter.split('|');
  return `${driver}/${key}${value === '' ? '' : `=${value}`}:${effect}${rates === undefined ? '' : `@${rates}`}`;
}

/** Absent if the text is not the name of a taint. */
export function parseTaintName(text: string): Limiter | undefined {
  const [, driver, key, value = '', effect, rates] =
    /^([^/]+)\/([^=:@]+)(?:=([^:@]*))?:(\w+)(?:@(.*))?$/.exec(text) ?? [];
  if (driver === undefined) return undefined;
  return `slice|${driver}|${key}|${value}|${effect}${rates === undefined ? '' : `|${rates}`}`;
}

/** One slice with the taint. */
interface Stand {
  /** `DeviceTaintSlice agent`. */
  readonly slice: string;
  /** Field manager that wrote the slice. */
  readonly by?: string;
  devices: number;
}

/** The slices that have a taint, by limiter. */
export function standsIn({ pools, agentTaints }: Snapshot): ReadonlyMap<Limiter, readonly Stand[]> {
  const found = new Map<Limiter, Map<string, Stand>>();
  const note = (driver: string, kind: string, { slice: name, taint, author }: SliceTaint) => {
    const slice = `${kind} ${name}`;
    const limiter = sliceLimiter(driver, taint);
    const stands = found.get(limiter) ?? new Map<string, Stand>();
    found.set(limiter, stands);
    const stand = stands.get(slice) ?? { slice, devices: 0, ...(author ? { by: author.manager } : {}) };
    stand.devices += 1;
    stands.set(slice, stand);
  };
  for (const { driver, devices } of pools.values())
    for (const taints of devices.values()) for (const one of taints) note(driver, 'ResourceSlice', one);
  for (const [device, taints] of agentTaints ?? [])
    for (const one of taints) note(device.slice(0, device.indexOf('|')), 'DeviceTaintSlice', one);
  return new Map([...found].map(([limiter, stands]) => [limiter, [...stands.values()]]));
}

/** `DeviceTaintSlice agent, by kubectl`, `PacedTaintRule a, by argocd`; by limiter. */
export function placesIn(snapshot: Snapshot): ReadonlyMap<Limiter, string> {
  const by = (manager: string | undefined) => (manager === undefined ? '' : `, by ${manager}`);
  const rules = snapshot.rules.map(
    (rule) => [ruleLimiter(rule), `${rule.kind} ${rule.name}${by(rule.author?.manager)}`] as const,
  );
  const slices = [...standsIn(snapshot)].flatMap(([limiter, [first, ...rest]]) =>
    first ? [[limiter, `${first.slice}${moreText(rest.length)}${by(first.by)}`] as const] : [],
  );
  return new Map([...rules, ...slices]);
}

function moreText(more: number): string {
  return more === 0 ? '' : ` and ${countText(more, 'more slice')}`;
}

/** What the card of a slice taint links to; pause and rate are settings of the EvictionPolicy that selects it. */
export function sliceRow(
  limiter: Limiter,
  by: { readonly snapshot: Snapshot; readonly policies: readonly Json[]; readonly pauses: Situation['pauses'] },
): SliceRow {
  const [, , key = '', , , rates] = limiter.split('|');
  const found = policyOf(limiter, by.snapshot);
  // A policy that only pauses has no rate to set; its pause has a notice of its own.
  const policy = found?.pauseOnly ? undefined : found;
  const object = by.policies.find((one) => nameOf(one) === policy?.name);
  const pauses = by.pauses
    .flatMap((one) => resumeOf(one) ?? [])
    .flatMap(({ kind, name, pause }) => (kind === 'policy' && name === policy?.name && pause ? [pause] : []));
  return {
    limiter,
    name: taintName(limiter),
    key,
    hasOwnRate: rates !== undefined && !rates.startsWith('/'),
    ...(policy
      ? {
          policy: {
            name: policy.name,
            pauses,
            waitsForApproval: object !== undefined && findOffer(object) !== undefined,
            approval: object && approvalWritten(object),
          },
        }
      : {}),
  };
}

/** The pods that a slice taint evicts, in the order of its backlog; delays by its policy do not count. */
export function planSliceTaint(limiter: Limiter, seen: Snapshot, now: Instant): Omit<RulePlan, 'rule' | 'at'> {
  const snapshot = timed(seen, now);
  const pods = snapshot.pods.filter(isCounted).flatMap((pod) => {
    const verdict = evaluatePod(pod, snapshot);
    const because = verdict.kind === 'EvictAt' ? verdict.because.filter((one) => originKey(one) === limiter) : [];
    if (because.length === 0) return [];
    const claims = [...Map.groupBy(because, ({ claim }) => claim.name)];
    const { namespace, name, uid, nodeName = '', controller, priority } = pod;
    return {
      pod: { namespace, name, uid },
      node: nodeName,
      ...(controller ? { owner: { kind: controller.kind, name: controller.name } } : {}),
      ...(priority === undefined ? {} : { priority }),
      claims: claims.map(([claim, reasons]) => ({ name: claim, devices: reasons.map(({ device }) => device) })),
      tolerated: 0,
      order: evictionOrder(pod),
    };
  });
  const rate = rateWritten(limiter, snapshot);
  const wanted = pods.length;
  const { tokens } = takeTokens({ rate, bucket: undefined, now, wanted, ahead: Number.POSITIVE_INFINITY });
  const last = wanted === 0 ? now : tokens[wanted - 1];
  return {
    pods: pods.toSorted((a, b) => (a.order < b.order ? -1 : 1)),
    namespaces: new Set(pods.map(({ pod }) => pod.namespace)).size,
    undecided: 0,
    free: [],
    ...(last === undefined ? {} : { takes: Math.max(0, last - now) }),
  };
}

/** Why none of its pods is evicted now. */
export function sliceHold(limiter: Limiter, seen: Seen, now: Instant): string | undefined {
  const policy = policyOf(limiter, seen.snapshot);
  const object = seen.policies.find((one) => nameOf(one) === policy?.name);
  const told = toldHold(conditionsOf(object));
  return heldText(policy && policyHold(policy, now), { stopped: seen.stopped, told });
}

interface Seen extends Pick<Picture, 'snapshot' | 'stopped'> {
  /** EvictionPolicies, with their conditions. */
  readonly policies: readonly Json[];
}

/** Sentences for the page Why: what the taint does, where it stands, and what paces or holds it. */
export async function explainSliceTaint(
  cluster: OpenCluster,
  limiter: Limiter,
  { seen, now }: { readonly seen: Seen; readonly now: Instant },
): Promise<readonly string[]> {
  const { snapshot } = seen;
  const stands = standsIn(snapshot).get(limiter) ?? [];
  const { pods, namespaces, takes } = planSliceTaint(limiter, snapshot, now);
  const use = await budgetUseOf(cluster, pods);
  const policy = policyOf(limiter, snapshot);
  const held = sliceHold(limiter, seen, now);
  const object = seen.policies.find((one) => nameOf(one) === policy?.name);
  const approval = object && approvalWritten(object);
  const reach = `${countText(pods.length, 'pod')} in ${countText(namespaces, 'namespace')}`;
  const does = held === undefined ? `evicts ${reach}${planTimeText({ takes })}` : `is held; would evict ${reach}`;
  return [
    `taint ${taintName(limiter)}: ${pods.length === 0 ? 'reaches no pod' : does}`,
    ...budgetTexts(use).map((one) => `  ${one}`),
    ...(stands.length === 0 ? ['  it is in no slice now'] : []),
    ...stands.map(
      ({ slice, by, devices }) =>
        `  in ${slice}${by === undefined ? '' : `, by ${by}`}: ${countText(devices, 'device')}`,
    ),
    `  ${rateText(rateWritten(limiter, snapshot))}${policy ? `, EvictionPolicy ${policy.name}` : ', no EvictionPolicy selects it'}`,
    ...(held === undefined ? [] : [`  held: ${held}`]),
    ...(approval === undefined ? [] : [`  EvictionPolicy ${policy?.name}: ${approval}`]),
    ...(policy?.observer ? [`  EvictionPolicy ${policy.name} holds it while its observer is in doubt`] : []),
  ];
}
