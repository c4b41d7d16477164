// Rules of either kind as decisions see them: one taint, and the devices that it is put on.
import type { Uid } from './identity.ts';
import type { DeviceTaint, DeviceTaintRule, DeviceTaintSelector, ObjectMeta, SpecAuthor } from './objects.ts';
import type { EvictionPolicy } from './policy.ts';
import type { Instant, Milliseconds } from './time.ts';

/** A taint that a device must have already, in a ResourceSlice or DeviceTaintSlice; absent members match any. */
export interface ExistingTaint {
  readonly key: string;
  readonly value?: string;
  readonly effect?: string;
  /** How long the device must have had it. */
  readonly minAge?: Milliseconds;
}

/** spec.deviceSelector of a PacedTaintRule: all criteria must match. Without any it selects everything, and only `all` may say so. */
export interface PacedDeviceSelector extends DeviceTaintSelector {
  readonly all?: true;
  readonly deviceClassName?: string;
  /** CEL expressions over `device`. */
  readonly selectors?: readonly string[];
  readonly deviceTaints?: readonly ExistingTaint[];
}

/** metav1.LabelSelectorRequirement; an unknown operator matches no pod. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: string;
  /** Empty for operators that take none. */
  readonly values: readonly string[];
}

/** Whose pods go; absent members narrow nothing. */
export interface PodScope {
  readonly namespaces?: readonly string[];
  readonly labels?: readonly LabelRequirement[];
  /** Pods with a higher spec.priority stay. */
  readonly maxPriority?: number;
}

/** spec.taints[] of a PacedTaintRule. */
export interface PacedTaint extends DeviceTaint {
  readonly evictionsPerSecond?: number;
  readonly burst?: number;
  readonly description?: string;
}

/** status.taints[] of a PacedTaintRule: the time that counts, and the one that the spec had when it was written down. */
export interface SeenTaint {
  readonly key: string;
  readonly effect: string;
  readonly timeAdded: Instant;
  readonly specTimeAdded?: Instant;
}

/** PacedTaintRule of sluice.dev/v1alpha1. */
export interface PacedTaintRule extends ObjectMeta {
  readonly kind: 'PacedTaintRule';
  readonly generation: number;
  readonly creationTimestamp?: Instant;
  /** Absent: matches nothing. */
  readonly deviceSelector?: PacedDeviceSelector;
  readonly taints: readonly PacedTaint[];
  readonly priority?: number;
  readonly pods?: PodScope;
  readonly paused?: true;
  /** spec.expiresAt as it was written. */
  readonly expiresAt?: string;
  readonly seen: readonly SeenTaint[];
  readonly author?: SpecAuthor;
  /** Only those under `sluice.dev/`. */
  readonly annotations?: Readonly<Record<string, string>>;
  readonly actsSince?: ActsSince;
}

/** Since when each key has been seen with effect NoExecute; noted when the rule is stored. */
export type ActsSince = Readonly<Record<string, Instant>>;

/** A rule as it was written. */
export type AnyRule = DeviceTaintRule | PacedTaintRule;

/** A rule's taints, whichever kind it is. */
export type RuleTaints = { readonly taint: DeviceTaint } | { readonly taints: readonly DeviceTaint[] };

/** Names the PacedTaintRule or DeviceTaintSlice (by UID) that a native rule was written for; such a rule is no input. */
export const projectedFromLabel = 'sluice.dev/projected-from';

/** What the scheduler is told of. */
export interface ProjectionSource {
  readonly kind: 'PacedTaintRule' | 'DeviceTaintSlice';
  readonly name: string;
  readonly uid: Uid;
}

/** A native rule that tells the scheduler of one of its taints. */
export interface ProjectedRule {
  readonly name: string;
  readonly from: ProjectionSource;
  readonly deviceSelector: DeviceTaintSelector;
  readonly taint: DeviceTaint;
}

/** One taint of a rule: what acts on devices. A DeviceTaintRule is its only one; a PacedTaintRule has one for each of its taints. */
export interface TaintRule extends ObjectMeta {
  readonly kind: AnyRule['kind'];
  readonly generation: number;
  readonly deviceSelector?: PacedDeviceSelector;
  /** Expressions of the device class that the selector names; absent while there is no such class. */
  readonly deviceClass?: readonly string[];
  readonly taint: PacedTaint;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly creationTimestamp?: Instant;
  readonly priority?: number;
  readonly pods?: PodScope;
  readonly paused?: true;
  readonly expiresAt?: string;
  readonly author?: SpecAuthor;
  /** The most specific one for the taint. */
  readonly policy?: EvictionPolicy;
  /** Name of the policy that was for the taint until it was deleted, in this version of the rule, with pods waiting; none is since. */
  readonly policyGone?: string;
  /** Since when Sluice has seen the taint to evict; only where the rule comes from the table. */
  readonly actingSince?: Instant;
}

/** A rule's name among rules of all kinds: a DeviceTaintRule's own, or `PacedTaintRule/<name>`; no name holds a slash. */
export type RuleRef = string;

export function ruleRef({ kind, name }: Pick<TaintRule, 'kind' | 'name'>): RuleRef {
  return kind === 'DeviceTaintRule' ? name : `${kind}/${name}`;
}

export function parseRuleRef(ref: RuleRef): Pick<TaintRule, 'kind' | 'name'> {
  const name = ref.slice(ref.indexOf('/') + 1);
  return name === ref ? { kind: 'DeviceTaintRule', name } : { kind: 'PacedTaintRule', name };
}

/** Whose bucket paces the pods of one taint: `rule|<uid>`, and for a PacedTaintRule `rule|<uid>|<key>|<effect>`. */
export function ruleLimiter(rule: {
  readonly kind: AnyRule['kind'];
  readonly uid: Uid;
  readonly taint: DeviceTaint;
}): string {
  return rule.kind === 'DeviceTaintRule'
    ? `rule|${rule.uid}`
    : `rule|${rule.uid}|${rule.taint.key}|${rule.taint.effect}`;
}
