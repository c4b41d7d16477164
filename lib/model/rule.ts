// Rules of either kind as decisions use them: one taint, and the selector of its devices.
import type { Uid } from './identity.ts';
import type { DeviceTaint, DeviceTaintRule, DeviceTaintSelector, ObjectMeta, SpecAuthor } from './objects.ts';
import type { EvictionPolicy } from './policy.ts';
import type { Instant, Milliseconds } from './time.ts';

/** A taint that a device must already have, from a ResourceSlice or DeviceTaintSlice; absent fields match all. */
export interface ExistingTaint {
  readonly key: string;
  readonly value?: string;
  readonly effect?: string;
  /** How long the device must have had it. */
  readonly minAge?: Milliseconds;
}

/**
 * spec.deviceSelector of a PacedTaintRule: all criteria must match. Without criteria it selects every device; only `all: true` may do that.
 */
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
  /** Empty for operators without values. */
  readonly values: readonly string[];
}

/** Which pods the rule may evict; absent fields do not restrict. */
export interface PodScope {
  readonly namespaces?: readonly string[];
  readonly labels?: readonly LabelRequirement[];
  /** Pods with a higher spec.priority are kept. */
  readonly maxPriority?: number;
}

/** spec.taints[] of a PacedTaintRule. */
export interface PacedTaint extends DeviceTaint {
  readonly evictionsPerSecond?: number;
  readonly burst?: number;
  readonly description?: string;
}

/** status.taints[] of a PacedTaintRule: the effective time, and the spec's time when it was recorded. */
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
  /** spec.expiresAt as text. */
  readonly expiresAt?: string;
  readonly seen: readonly SeenTaint[];
  readonly author?: SpecAuthor;
  /** Only annotations under `sluice.dev/`. */
  readonly annotations?: Readonly<Record<string, string>>;
  readonly actsSince?: ActsSince;
}

/** By taint key, since when Sluice has seen effect NoExecute; set when the rule is stored. */
export type ActsSince = Readonly<Record<string, Instant>>;

/** A rule as the API server has it. */
export type AnyRule = DeviceTaintRule | PacedTaintRule;

/** The taints of a rule of either kind. */
export type RuleTaints = { readonly taint: DeviceTaint } | { readonly taints: readonly DeviceTaint[] };

/** UID of the PacedTaintRule or DeviceTaintSlice that a native rule was created for; Sluice does not evaluate such a rule. */
export const projectedFromLabel = 'sluice.dev/projected-from';

/** The object that is projected for the scheduler. */
export interface ProjectionSource {
  readonly kind: 'PacedTaintRule' | 'DeviceTaintSlice';
  readonly name: string;
  readonly uid: Uid;
}

/** A native rule that shows one of the object's taints to the scheduler. */
export interface ProjectedRule {
  readonly name: string;
  readonly from: ProjectionSource;
  readonly deviceSelector: DeviceTaintSelector;
  readonly taint: DeviceTaint;
}

/** One taint of a rule. A DeviceTaintRule gives one TaintRule, a PacedTaintRule one per taint. */
export interface TaintRule extends ObjectMeta {
  readonly kind: AnyRule['kind'];
  readonly generation: number;
  readonly deviceSelector?: PacedDeviceSelector;
  /** CEL expressions of the selector's DeviceClass; absent while the class does not exist. */
  readonly deviceClass?: readonly string[];
  readonly taint: PacedTaint;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly creationTimestamp?: Instant;
  readonly priority?: number;
  readonly pods?: PodScope;
  readonly paused?: true;
  readonly expiresAt?: string;
  readonly author?: SpecAuthor;
  /** The most specific EvictionPolicy for the taint. */
  readonly policy?: EvictionPolicy;
  /** Name of the policy that was deleted with pods of this rule generation pending; absent if a policy applies. */
  readonly policyGone?: string;
  /** Since when Sluice has seen the taint with effect NoExecute; only if the rule comes from the table. */
  readonly actingSince?: Instant;
}

/** Name that is unique among rules of all kinds: a DeviceTaintRule's own, or `PacedTaintRule/<name>`; object names contain no slash. */
export type RuleRef = string;

export function ruleRef({ kind, name }: Pick<TaintRule, 'kind' | 'name'>): RuleRef {
  return kind === 'DeviceTaintRule' ? name : `${kind}/${name}`;
}

export function parseRuleRef(ref: RuleRef): Pick<TaintRule, 'kind' | 'name'> {
  const name = ref.slice(ref.indexOf('/') + 1);
  return name === ref ? { kind: 'DeviceTaintRule', name } : { kind: 'PacedTaintRule', name };
}

/** The limiter of a rule's taint: `rule|<uid>`, and for a PacedTaintRule `rule|<uid>|<key>|<effect>`. */
export function ruleLimiter(rule: {
  readonly kind: AnyRule['kind'];
  readonly uid: Uid;
  readonly taint: DeviceTaint;
}): string {
  return rule.kind === 'DeviceTaintRule'
    ? `rule|${rule.uid}`
    : `rule|${rule.uid}|${rule.taint.key}|${rule.taint.effect}`;
}

/** Whether a limiter is that of a rule; all others are of taints in slices. */
export function isOfRule(limiter: string): boolean {
  return limiter.startsWith('rule|');
}
