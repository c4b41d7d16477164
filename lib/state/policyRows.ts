// Policies and labelled namespaces: what says how pods go, and whether a change of it moves any of them.
import { asksForAge } from '../decide/delay.ts';
import { isSame } from '../decide/same.ts';
import type { Namespace } from '../model/namespace.ts';
import type { EvictionPolicy } from '../model/policy.ts';
import type { Instant } from '../model/time.ts';
import { namespaceRowKey, policyRowKey } from './keys.ts';
import { nextVersion } from './ruleRows.ts';
import { type DirtyRow, replaceObject, type Seen, type State, type Stored } from './state.ts';

/**
 * What a change of a policy owes. `Moved`: it says or said when or in what way pods go, so every pod may be listed in another way;
 * `Changed`: it may have taken the place of one that says so; `true`: only the pace.
 */
export type PolicyDebt = true | 'Changed' | 'Moved';

export type PolicyRow = DirtyRow<EvictionPolicy, PolicyDebt>;

/** `dirty`: its pods may go in another way, and are not yet handed to an evaluation. */
export type NamespaceRow = DirtyRow<Namespace, boolean>;

interface Storing {
  readonly seen: Seen;
  readonly gone?: Instant;
}

export async function storePolicy(state: State, policy: EvictionPolicy, by: Storing): Promise<Stored<PolicyRow>> {
  const next = isGone(by) ? undefined : policy;
  return replaceObject<EvictionPolicy, PolicyDebt>(state, {
    rowKey: policyRowKey(state.cluster, policy.name),
    key: policy.name,
    object: policy,
    ...by,
    dirty: (before) => debtOf(before, next),
    with: () => [nextVersion(state)],
  });
}

function debtOf(stored: PolicyRow | undefined, next: EvictionPolicy | undefined): PolicyDebt {
  const before = stored?.gone ? undefined : stored?.object;
  const isChanged = !isSame({ ...before, resourceVersion: '' }, { ...next, resourceVersion: '' });
  const decides = [before, next].some((policy) => policy && decidesLedgers(policy));
  if (stored?.dirty === 'Moved' || (isChanged && decides)) return 'Moved';
  return stored?.dirty === 'Changed' || isChanged ? 'Changed' : true;
}

/** Pace, windows and limits are looked up when a slot is given; times and ways stand in the ledgers of pods. */
export function decidesLedgers(policy: EvictionPolicy): boolean {
  const { mode, modeDeadline, order, groupBy } = policy;
  return asksForAge(policy) || [mode, modeDeadline, order, groupBy].some((said) => said !== undefined);
}

export async function storeNamespace(state: State, namespace: Namespace, by: Storing): Promise<Stored<NamespaceRow>> {
  const labels = (row: Pick<NamespaceRow, 'object' | 'gone'> | undefined) =>
    row && !row.gone ? (row.object.labels ?? {}) : {};
  return replaceObject<Namespace, boolean>(state, {
    rowKey: namespaceRowKey(state.cluster, namespace.name),
    key: namespace.name,
    object: namespace,
    ...by,
    dirty: (before) =>
      before?.dirty === true || !isSame(labels(before), labels({ object: namespace, gone: isGone(by) })),
    with: () => [nextVersion(state)],
  });
}

function isGone({ gone }: Storing): boolean {
  return gone !== undefined;
}
