// What a policy leaves behind that is deleted while pods wait under it: their pace was its, so they stay until a person says how they go.
import type { LimiterId } from '../model/eviction.ts';
import type { EvictionPolicy } from '../model/policy.ts';
import { ruleLimiter, type TaintRule } from '../model/rule.ts';
import type { EventToRecord } from '../model/status.ts';
import type { Instant } from '../model/time.ts';

/** Taints that an Event has room for. */
const taintsNamed = 5;

/** What was left: a rule's taint in the version that was under the policy, or a taint in slices. */
export function desertedKey(limiter: LimiterId, generation?: number): string {
  return generation === undefined ? limiter : `${limiter}@${generation}`;
}

export function desertedKeyOf(rule: TaintRule): string {
  return desertedKey(ruleLimiter(rule), rule.generation);
}

/** What stays of a deleted policy among those that live: whom it left, and nothing of what it said. `undefined` where it left no pod. */
export function ghostOf({ deserted, ...policy }: EvictionPolicy): EvictionPolicy | undefined {
  if (!deserted || deserted.length === 0) return undefined;
  const { kind, name, uid, resourceVersion, generation, taints } = policy;
  return { kind, name, uid, resourceVersion, generation, taints, deserted };
}

/** Name of the deleted policy that left waiting pods; call it only where no existing policy applies. */
export function policyGoneFor(key: string, policies: readonly EvictionPolicy[]): string | undefined {
  return policies.find(({ deserted }) => deserted?.includes(key))?.name;
}

/** A taint in slices has no object to be approved on: the Event says what to do. `undefined` where no such taint was left. */
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

/** `example.com/ecc:NoExecute of gpu.example.com`, for the limiter of a taint in slices. */
export function taintTextOf(limiter: LimiterId): string {
  const [, driver, key, , effect] = limiter.split('|');
  return `${key}:${effect} of ${driver}`;
}
