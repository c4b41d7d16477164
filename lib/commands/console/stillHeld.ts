// What still holds pods once an action has ended a pause, a canary or the windows of a policy.
import { conditionsOf } from '../../adapters/kubernetes/projectRule.ts';
import type { Json } from '../../adapters/kubernetes/read.ts';
import { expiryHold, pauseHold } from '../../decide/hold.ts';
import { describeWay, waysUnder } from '../../decide/mode.ts';
import { pausePrefix } from '../../decide/pauses.ts';
import { toldBy, unapproved } from '../../decide/planHold.ts';
import { policyHold, withPolicy } from '../../decide/policy.ts';
import { policyOf } from '../../decide/rate.ts';
import type { LimiterId } from '../../model/eviction.ts';
import { awaitsApproval } from '../../model/hold.ts';
import type { Pod } from '../../model/objects.ts';
import type { EvictionPolicy } from '../../model/policy.ts';
import { ruleLimiter, type TaintRule } from '../../model/rule.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import { type EvictionStop, stoppedBy } from '../../model/stop.ts';
import type { Instant } from '../../model/time.ts';
import { countText } from '../../view/words.ts';
import { nameOf } from '../cluster/objects.ts';
import { keptTexts, podsKept } from '../pause/kept.ts';
import type { LiveSubject } from '../pause/subject.ts';
import { findOffer } from '../verbs/approve.ts';
import type { Acting } from './acting.ts';

export interface After {
  /** The cluster as the action leaves it. */
  readonly snapshot: Snapshot;
  readonly now: Instant;
  /** Rules and policies with their conditions. */
  readonly objects: readonly Json[];
  /** The reason of the hold that the action ends. */
  readonly ended?: string;
  /** What holds the whole cluster. */
  readonly whole?: string | undefined;
}

/** What an action leaves, apart from the cluster itself. `stops`: those that stay. */
export function leftOf(
  { io, objects = [], paused }: Pick<Acting, 'io' | 'objects' | 'paused'>,
  stops: readonly EvictionStop[],
): Omit<After, 'snapshot'> {
  return { now: io.now(), objects, whole: stops.length > 0 ? stoppedBy(stops) : paused };
}

/** `can`: `can be evicted`, or that they can be again. */
export function stillHeldText(subject: LiveSubject, after: After, can: string): string {
  const holdsOn = createPodHolds(after);
  const whys = new Set<string>();
  let [free, kept] = [0, 0];
  for (const { pod, limiters, others } of podsKept(subject, after.snapshot)) {
    const holdBy = holdsOn(pod);
    // Evicted before the action as well.
    if (others.some((one) => holdBy(one) === undefined)) continue;
    const holds = limiters.map(holdBy);
    if (holds.every((one) => one !== undefined)) {
      kept++;
      for (const one of holds) whys.add(one.replace(/\.$/, ''));
    } else free++;
  }
  const said = [
    ...(free > 0 || kept === 0 ? [`${countText(free, 'pod')} ${can}, at the configured rates.`] : []),
    ...(kept > 0
      ? [`${countText(kept, 'pod')} ${kept === 1 ? 'is' : 'are'} still kept: ${[...whys].join('; ')}.`]
      : []),
  ];
  return said.join(' ');
}

/** What the pause of the subject would keep, in words; `before`: the cluster without it. */
export function keptByPause(subject: LiveSubject, before: After): ReturnType<typeof keptTexts> {
  const holdsOn = createPodHolds(before);
  const pods = podsKept(subject, before.snapshot);
  const going = pods.filter(({ pod, others }) => {
    const holdBy = holdsOn(pod);
    return others.some((one) => holdBy(one) === undefined);
  }).length;
  return keptTexts(pods.length - going, going);
}

/** What holds a pod at one of its limiters. */
function createPodHolds(after: After): (pod: Pod) => (limiter: LimiterId) => string | undefined {
  const holdsAt = createHolds(after);
  return (pod) => {
    const wayOf = waysUnder(pod, after.snapshot);
    const way = (limiter: LimiterId) => {
      const found = wayOf(limiter);
      return found.paused ?? (found.mode === 'Skip' ? describeWay(found) : undefined);
    };
    return (limiter) => after.whole ?? holdsAt(limiter) ?? way(limiter);
  };
}

/** By limiter, which many pods have in common. */
function createHolds(after: After): (limiter: LimiterId) => string | undefined {
  const rules = new Map(after.snapshot.rules.map((rule) => [ruleLimiter(rule), rule]));
  const known = new Map<LimiterId, string | undefined>();
  return (limiter) => {
    if (!known.has(limiter)) known.set(limiter, holdAt(limiter, rules.get(limiter), after));
    return known.get(limiter);
  };
}

function holdAt(limiter: LimiterId, rule: TaintRule | undefined, after: After): string | undefined {
  const { snapshot, now } = after;
  const policy = rule ? rule.policy : policyOf(limiter, snapshot);
  const own = rule && (pauseHold(rule) ?? expiryHold(rule, now));
  const by = policy && policyHold(policy, now);
  const holder = rule ?? (policy && { kind: 'EvictionPolicy', name: policy.name });
  const told = own || by || !holder ? undefined : toldOf(holder, after);
  if (by && !own) return by.message;
  const message = own?.message ?? told;
  return message && holder && `${holder.kind} ${holder.name}: ${message}`;
}

/** The hold that only a condition tells, an approval that is missing among them. */
function toldOf(
  { kind, name }: { readonly kind: string; readonly name: string },
  { objects, ended }: After,
): string | undefined {
  const object = objects.find((one) => one.kind === kind && nameOf(one) === name);
  const held = conditionsOf(object).find(({ type, status }) => type === 'sluice.dev/Held' && status === 'True');
  if (!held) return undefined;
  if (awaitsApproval(held)) return held.message;
  // The message of a pause or a closed window also offers the plan that waits for an approval.
  if (object && findOffer(object)) return unapproved;
  return held.reason === ended ? undefined : toldBy(held);
}

/** The cluster with the policy changed, wherever it applies. */
export function withPolicyChanged(
  snapshot: Snapshot,
  name: string,
  change: (policy: EvictionPolicy) => EvictionPolicy,
): Snapshot {
  const { rules, policies = [] } = snapshot;
  const changed = policies.map((policy) => (policy.name === name ? change(policy) : policy));
  return {
    ...snapshot,
    rules: rules.map(({ policy: _, ...rule }) => withPolicy(rule, changed)),
    policies: changed,
  };
}

/** The cluster without that pause of the subject. */
export function withoutPause(snapshot: Snapshot, subject: LiveSubject, pause: string): Snapshot {
  const unpaused = <T extends Pick<TaintRule, 'annotations'>>(one: T): T => {
    const { [`${pausePrefix}${pause}`]: _, ...annotations } = one.annotations ?? {};
    return { ...one, annotations };
  };
  switch (subject.kind) {
    case 'policy':
      return withPolicyChanged(snapshot, subject.name, unpaused);
    case 'rule': {
      const isNamed = ({ kind, name }: TaintRule) => `${kind}/${name}` === subject.name || name === subject.name;
      return { ...snapshot, rules: snapshot.rules.map((one) => (isNamed(one) ? unpaused(one) : one)) };
    }
    case 'namespace': {
      const all = [...(snapshot.namespaces ?? [])];
      const namespaces = all.map(([name, one]) => [name, name === subject.name ? unpaused(one) : one] as const);
      return { ...snapshot, namespaces: new Map(namespaces) };
    }
    default:
      return snapshot;
  }
}
