// Reads the rule whose status must be written.
import type { NotRead } from '../../liveCluster.ts';
import { parseRuleRef, type RuleRef } from '../../model/rule.ts';
import type { ApiFailure, LiveRule } from '../../ports.ts';
import type { ClusterAccess } from '../../steps/step.ts';

/** `NotFound` also where the API server does not serve the kind. */
export async function readLiveRule(
  { live }: Pick<ClusterAccess, 'live'>,
  ref: RuleRef,
): Promise<({ readonly kind: 'Found' } & LiveRule) | { readonly kind: 'NotFound' } | ApiFailure> {
  const { kind, name } = parseRuleRef(ref);
  const read = withoutKind(await live.read(kind, name));
  if (read.kind !== 'Found') return read;
  const { object: rule, conditions, shownRate } = read;
  return { kind: 'Found', rule, conditions, ...(shownRate === undefined ? {} : { shownRate }) };
}

/** For objects whose status is written: a kind that is not served counts as `NotFound`. */
export function withoutKind<T extends { readonly kind: string }>(
  read: T | NotRead,
): Exclude<T, { kind: 'NotServed' }> | { readonly kind: 'NotFound' } | ApiFailure {
  return read.kind === 'NotServed' ? { kind: 'NotFound' } : (read as Exclude<T, { kind: 'NotServed' }> | ApiFailure);
}
