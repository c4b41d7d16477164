// Explains in text what the rules and slices of a picture mean for its pods; pure.
import { tolerationsOf } from '../../decide/annotatedTolerations.ts';
import { consumedClaims } from '../../decide/consume.ts';
import { evaluatePod } from '../../decide/evaluate.ts';
import { describeReason } from '../../decide/eventText.ts';
import { holdOf } from '../../decide/hold.ts';
import { listingsOf } from '../../decide/limiter.ts';
import { describeWay, waysUnder } from '../../decide/mode.ts';
import { policyHold } from '../../decide/policy.ts';
import { policyOf, rateOf } from '../../decide/rate.ts';
import { selectsNothing } from '../../decide/selectorHold.ts';
import { evicts } from '../../decide/taint.ts';
import { describeTaint } from '../../decide/taintText.ts';
import { toleratedUntil } from '../../decide/tolerate.ts';
import type { LimiterId } from '../../model/eviction.ts';
import { deviceKey } from '../../model/identity.ts';
import type { Pod } from '../../model/objects.ts';
import { ruleLimiter } from '../../model/rule.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import { farFuture, formatInstant, type Instant } from '../../model/time.ts';
import { originKey, type Verdict } from '../../model/verdict.ts';
import { delayText } from '../../view/delayText.ts';
import type { Picture } from './assemble.ts';
import { deviceText, taintsOn } from './devices.ts';

/** The part of a picture that an explanation needs. */
export type Seen = Pick<Picture, 'snapshot' | 'stopped' | 'told'>;

export type ShownVerdict = Verdict['kind'] | 'Held' | 'Tolerates' | 'Terminating';

/** `word` is for tables; `text` gives the reasons, or is empty for Keep. */
export function verdictOf(
  pod: Pod,
  { snapshot, ...seen }: Seen,
  now: Instant,
): { readonly word: ShownVerdict; readonly text: string } {
  if (pod.deletionTimestamp !== undefined) return { word: 'Terminating', text: 'is terminating' };
  const verdict = evaluatePod(pod, snapshot);
  switch (verdict.kind) {
    case 'Keep':
      return { word: 'Keep', text: '' };
    case 'Unknown':
      return { word: 'Unknown', text: verdict.why };
    case 'EvictAt': {
      const [held] = holdsOn(pod, { snapshot, ...seen, verdict, now });
      const text = verdict.because.map(describeReason).join('; ');
      if (held !== undefined) return { word: 'Held', text: held };
      return { word: verdict.at > now ? 'Tolerates' : 'EvictAt', text };
    }
    default:
      return verdict satisfies never;
  }
}

/** Why a pod is evicted, held or kept. The first line is the answer, the others are reasons. */
export function explainPod(pod: Pod, { snapshot, ...seen }: Seen, now: Instant): readonly string[] {
  const subject = `${pod.namespace}/${pod.name} (${pod.uid})`;
  if (pod.deletionTimestamp !== undefined) return [`${subject}: is terminating`];
  if (!pod.nodeName) return [`${subject}: kept; it is not scheduled to a node`];
  const verdict = evaluatePod(pod, snapshot);
  if (verdict.kind === 'Unknown') return [`${subject}: kept; Sluice cannot decide: ${verdict.why}`];
  if (verdict.kind === 'Keep')
    return [
      `${subject}: kept`,
      ...[...whyNot(pod, snapshot), ...rulesWithoutDevices(snapshot)].map((one) => `  ${one}`),
    ];
  const holds = holdsOn(pod, { snapshot, ...seen, verdict, now });
  const when = verdict.at > now ? `tolerates its taints until ${formatInstant(verdict.at)}` : 'will be evicted';
  const way = waysUnder(pod, snapshot);
  const ways = new Set(listingsOf(verdict).flatMap(({ limiter }) => describeWay(way(limiter)) ?? []));
  return [
    `${subject}: ${holds.length > 0 ? 'is held' : when}`,
    ...verdict.because.map(
      (reason) =>
        `  because of ${describeReason(reason)}${reason.at < farFuture ? `, due ${formatInstant(reason.at)}` : ''}`,
    ),
    ...[...ways].map((one) => `  ${one}`),
    ...holds.map((one) => `  held: ${one}`),
  ];
}

/** Whether every taint that would evict the pod is held. */
export function isHeld(pod: Pod, seen: Seen, now: Instant): boolean {
  const verdict = evaluatePod(pod, seen.snapshot);
  return verdict.kind === 'EvictAt' && holdsOn(pod, { ...seen, verdict, now }).length > 0;
}

interface Decided extends Seen {
  readonly verdict: Extract<Verdict, { kind: 'EvictAt' }>;
  readonly now: Instant;
}

/** Empty unless every taint that would evict the pod is held. A stop of the whole cluster comes first. */
function holdsOn(pod: Pod, { stopped, ...decided }: Decided): readonly string[] {
  const own = holdsOfTaints(pod, decided);
  return stopped === undefined ? own : [stopped, ...own];
}

function holdsOfTaints(pod: Pod, decided: Decided): readonly string[] {
  const { snapshot, verdict, now } = decided;
  const wayOf = waysUnder(pod, snapshot);
  const holds = listingsOf(verdict).map(({ limiter }) => {
    const rule = snapshot.rules.find((one) => ruleLimiter(one) === limiter);
    const policy = policyOf(limiter, snapshot);
    const hold = rule ? holdOf(rule, now) : policy && policyHold(policy, now);
    const subject = rule ? `${rule.kind} ${rule.name}: ` : '';
    if (hold) return `${subject}${hold.message}`;
    const way = wayOf(limiter);
    const kept = way.paused ?? (way.mode === 'Skip' ? describeWay(way) : undefined);
    const holder = rule ?? (policy && { kind: 'EvictionPolicy', name: policy.name });
    return kept ?? (holder && limiterHold(limiter, holder, decided));
  });
  return holds.every((one) => one !== undefined) ? [...new Set(holds)] : [];
}

interface Holder {
  readonly kind?: string;
  readonly name: string;
}

/** What a condition tells of the rule or policy, a rate of 0, or a taint without a due time. */
function limiterHold(
  limiter: LimiterId,
  { kind = 'DeviceTaintRule', name }: Holder,
  { told, snapshot, now, verdict }: Decided,
): string | undefined {
  const said = told?.get(`${kind}/${name}`);
  if (said !== undefined) return `${kind} ${name}: ${said}`;
  if (rateOf(limiter, snapshot, now).perSecond === 0) return `${kind} ${name}: its rate is 0`;
  return endless(verdict, limiter);
}

/** A taint without a due time evicts no pod before a person or a later observation changes that. */
function endless({ because }: Decided['verdict'], limiter: LimiterId): string | undefined {
  const [reason] = because.filter((one) => originKey(one) === limiter && one.at >= farFuture);
  return reason && `taint ${reason.taint.key}${delayText(reason)}`;
}

/** For each taint of the pod's devices, why the taint does not evict the pod. */
function whyNot(pod: Pod, snapshot: Snapshot): readonly string[] {
  const claims = consumedClaims(pod, snapshot);
  if (claims.length === 0)
    return [
      'the pod uses no allocated ResourceClaim: its spec names none, or none is allocated and reserved for the pod',
    ];
  const said = claims.flatMap((claim) =>
    claim.allocation.devices.flatMap((result) => {
      const id = { driver: result.driver, pool: result.pool, device: result.device };
      const tolerations = tolerationsOf(result, claim);
      return taintsOn(id, snapshot).map(({ taint, source }) => {
        const what = `${source}: taint ${describeTaint(taint)} on device ${deviceText(id)}`;
        if (!evicts(taint)) return `${what} has effect ${taint.effect}, and only NoExecute evicts`;
        if (taint.timeAdded === undefined)
          return `${what} has no timeAdded yet. Sluice sets it when it sees the rule; check that Sluice runs: sluice doctor`;
        if (toleratedUntil(taint, tolerations, snapshot.settings).kind === 'Forever')
          return `${what} is tolerated forever by claim ${claim.name}`;
        return `${what} does not apply to this pod: the rule selects other pods, or a rule of higher priority overrides it`;
      });
    }),
  );
  if (said.length > 0) return [...new Set(said)];
  const devices = claims.flatMap((claim) => claim.allocation.devices.map((one) => deviceText(one)));
  return [`its devices have no taint: ${devices.join(', ')}`];
}

/** Rules that might reach the pod if their selectors could be evaluated. */
function rulesWithoutDevices(snapshot: Snapshot): readonly string[] {
  const said = snapshot.rules.flatMap((rule) => {
    const why = selectsNothing(rule, snapshot);
    return why === undefined ? [] : [`${rule.kind} ${rule.name}: ${why}`];
  });
  return [...new Set(said)];
}

/** Taints of a device, and the explanation of each pod that uses the device. */
export function explainDevice(
  id: { readonly driver: string; readonly pool: string; readonly device: string },
  { seen, now }: { readonly seen: Seen; readonly now: Instant },
): readonly string[] {
  const { snapshot } = seen;
  const taints = taintsOn(id, snapshot).map(({ taint, source }) => `  ${source}: ${describeTaint(taint)}`);
  const using = snapshot.pods.filter((pod) =>
    consumedClaims(pod, snapshot).some((claim) =>
      claim.allocation.devices.some((one) => deviceKey(one) === deviceKey(id)),
    ),
  );
  return [
    `device ${deviceText(id)}: ${taints.length === 0 ? 'has no taint' : `has ${taints.length} taint${taints.length === 1 ? '' : 's'}`}`,
    ...taints,
    ...using.flatMap((pod) => explainPod(pod, seen, now)),
  ];
}
