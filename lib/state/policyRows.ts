// Policies and labelled namespaces: what says how pods go, and whether a change of it moves any of them.
import { asksForAge } from '../decide/delay.ts';
import { isSame } from '../decide/same.ts';
import type { Namespace } from '../model/namespace.ts';
import type { EvictionPolicy } from '../model/policy.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import { compare, type Write } from '../table.ts';
import { dueAttributes, noDue } from './dueIndex.ts';
import { namespaceRowKey, policyRowKey } from './keys.ts';
import { replaceObject } from './replaceObject.ts';
import { nextVersion } from './ruleVersion.ts';
import { type DirtyRow, isLive, type State, type Stored, type Storing, tombstoneSeconds } from './state.ts';

/**
 * What a change of a policy owes. `Moved`: it says or said when or in what way pods go, so every pod may be listed in another way;
 * `Changed`: it may have taken the place of one that says so; `true`: only the pace.
 */
export type PolicyDebt = true | 'Changed' | 'Moved';

export type PolicyRow = DirtyRow<EvictionPolicy, PolicyDebt>;

/** `dirty`: its pods may go in another way, and are not yet handed to an evaluation. */
export type NamespaceRow = DirtyRow<Namespace, boolean>;

/** `deserted`: what the policy leaves that is deleted here; a repeated deletion changes nothing of what the first one left. */
export async function storePolicy(
  state: State,
  policy: EvictionPolicy,
  by: Storing & { readonly deserted?: readonly string[] },
): Promise<Stored<PolicyRow>> {
  const next = isGone(by) ? undefined : policy;
  return replaceObject<EvictionPolicy, PolicyDebt>(state, {
    rowKey: policyRowKey(state.cluster, policy.name),
    key: policy.name,
    object: policy,
    ...by,
    objectAfter: (before) => (next ? policy : withDeserted(policy, before?.gone ? before.object : by)),
    dirty: (before) => debtOf(before, next),
    with: () => [nextVersion(state, policyRowKey(state.cluster, policy.name))],
  });
}

function withDeserted(policy: EvictionPolicy, { deserted }: Pick<EvictionPolicy, 'deserted'>): EvictionPolicy {
  return deserted && deserted.length > 0 ? { ...policy, deserted } : policy;
}

/** While a pod waits under a policy that is gone: by the next sweep. */
export const desertedEvery: Milliseconds = 30_000;

/** The tombstone forgets pods that wait for it no more, and stays as long as it names one. */
export async function keepDeserted(
  state: State,
  row: PolicyRow,
  by: { readonly deserted: readonly string[]; readonly isSame: boolean; readonly now: Instant },
): Promise<void> {
  const object = { ...row.object, deserted: by.deserted };
  const ttl = Math.floor(by.now / 1000) + tombstoneSeconds;
  const key = policyRowKey(state.cluster, row.key);
  const isOver = by.deserted.length === 0;
  const due = isOver ? {} : dueAttributes(state, key, by.now + desertedEvery);
  const change = { set: { object, ttl, ...due }, add: { ver: 1 }, remove: isOver ? noDue : [] };
  const kept: Write = { kind: 'Update', key, change, when: compare('ver', '=', row.ver) };
  // Who remembers the rules need not look again where only the times have moved.
  if (by.isSame) await state.table.write(kept);
  else await state.table.transact([kept, nextVersion(state, key)]);
}

function debtOf(stored: PolicyRow | undefined, next: EvictionPolicy | undefined): PolicyDebt {
  const before = stored && isLive(stored) ? stored.object : undefined;
  const isChanged = !isSame({ ...before, resourceVersion: '' }, { ...next, resourceVersion: '' });
  const decides = [before, next].some((policy) => policy && decidesLedgers(policy));
  if (stored?.dirty === 'Moved' || (isChanged && decides)) return 'Moved';
  return stored?.dirty === 'Changed' || isChanged ? 'Changed' : true;
}

/** Pace, windows and limits are looked up when a pod is started; times and ways stand in the ledgers of pods. */
export function decidesLedgers(policy: EvictionPolicy): boolean {
  const { mode, modeDeadline, order, groupBy } = policy;
  return asksForAge(policy) || [mode, modeDeadline, order, groupBy].some((said) => said !== undefined);
}

export async function storeNamespace(state: State, namespace: Namespace, by: Storing): Promise<Stored<NamespaceRow>> {
  const labels = (row: Pick<NamespaceRow, 'object' | 'mirror'> | undefined) =>
    row && isLive(row) ? (row.object.labels ?? {}) : {};
  return replaceObject<Namespace, boolean>(state, {
    rowKey: namespaceRowKey(state.cluster, namespace.name),
    key: namespace.name,
    object: namespace,
    ...by,
    dirty: (before) =>
      before?.dirty === true ||
      !isSame(labels(before), labels({ object: namespace, mirror: isGone(by) ? 'Gone' : 'Live' })),
    with: () => [nextVersion(state, namespaceRowKey(state.cluster, namespace.name))],
  });
}

function isGone({ gone }: Storing): boolean {
  return gone !== undefined;
}
