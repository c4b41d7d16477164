// Pods left by a policy that was deleted while they were pending under it: their rate came from it, so they are kept until a person
// decides.
import type { LimiterId } from '../model/eviction.ts';
import type { EvictionPolicy } from '../model/policy.ts';
import { ruleLimiter, type TaintRule } from '../model/rule.ts';
import type { EventToRecord } from '../model/status.ts';
import type { Instant } from '../model/time.ts';

/** How many taints an Event names. */
const taintsNamed = 5;

/** Key of what the policy left: a rule's taint at the generation that was under the policy, or a slice taint. */
export function desertedKey(limiter: LimiterId, generation?: number): string {
  return generation === undefined ? limiter : `${limiter}@${generation}`;
}

export function desertedKeyOf(rule: TaintRule): string {
  return desertedKey(ruleLimiter(rule), rule.generation);
}

/** A deleted policy reduced to its identity and what it left, without its settings. `undefined` if it left no pod. */
export function ghostOf({ deserted, ...policy }: EvictionPolicy): EvictionPolicy | undefined {
  if (!deserted || deserted.length === 0) return undefined;
  const { kind, name, uid, resourceVersion, generation, taints } = policy;
  return { kind, name, uid, resourceVersion, generation, taints, deserted, isGone: true };
}

/** Name of the deleted policy that left pending pods; call it only if no existing policy applies. */
export function policyGoneFor(key: string, policies: readonly EvictionPolicy[]): string | undefined {
  return policies.find(({ deserted }) => deserted?.includes(key))?.name;
}

/** A slice taint has no object that can be approved, so an Event says what to do. `undefined` if no slice taint was left. */
export function policyGoneEvent(
  { name, uid, deserted }: Pick<EvictionPolicy, 'name' | 'uid' | 'deserted'>,
  at: Instant,
): EventToRecord | undefined {
  const taints = [...new Set(deserted?.filter((key) => key.startsWith('slice|')).map(taintTextOf))];
  if (taints.length === 0) return undefined;
  const named = taints.slice(0, taintsNamed).join(', ');
  const more = taints.length > taintsNamed ? ` and ${taints.length - taintsNamed} more` : '';
  return {
    name: `${name.slice(0, 200)}.gone-${uid.slice(0, 36)}`,
    regarding: { kind: 'EvictionPolicy', name, uid },
    type: 'Warning',
    reason: 'PolicyGone',
    message: `It was deleted while pods waited under it for taints in slices: ${named}${more}. They stay: apply a policy that selects these taints, or lift the taints.`,
    at,
  };
}

/** A slice limiter in words: `example.com/ecc:NoExecute of gpu.example.com`. */
export function taintTextOf(limiter: LimiterId): string {
  const [, driver, key, , effect] = limiter.split('|');
  return `${key}:${effect} of ${driver}`;
}
