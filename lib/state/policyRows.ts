// Policies and namespaces with labels or pauses, and whether a change of one affects listed pods.
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
 * The work that a change of a policy owes. `Moved`: its old or new version sets due times or eviction modes, so every pod may be
 * listed differently; `Changed`: it may have replaced a policy that does; `true`: only rates.
 */
export type PolicyDebt = true | 'Changed' | 'Moved';

export type PolicyRow = DirtyRow<EvictionPolicy, PolicyDebt>;

/** `dirty`: the eviction mode of its pods, or whether they are paused, may have changed, and they are not yet handed to an evaluation. */
export type NamespaceRow = DirtyRow<Namespace, boolean>;

/**
 * `deserted`: taints left with pending pods by this deletion; a repeated deletion does not change them. A policy that is created again
 * under the name keeps them: it may not select them.
 */
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
    objectAfter: (before) => {
      const { deserted = [] } = before?.object ?? {};
      const left = next || before?.gone ? [] : (by.deserted ?? []);
      return withDeserted(policy, { deserted: [...new Set([...deserted, ...left])] });
    },
    dirty: (before) => debtOf(before, next),
    with: () => [nextVersion(state, policyRowKey(state.cluster, policy.name))],
  });
}

function withDeserted(policy: EvictionPolicy, { deserted }: Pick<EvictionPolicy, 'deserted'>): EvictionPolicy {
  return deserted && deserted.length > 0 ? { ...policy, deserted } : policy;
}

/** Due interval while pods are pending under a deleted policy. */
export const desertedEvery: Milliseconds = 30_000;

/** Removes taints without pending pods from the policy's row; a tombstone stays as long as it names one. */
export async function keepDeserted(
  state: State,
  row: PolicyRow,
  by: { readonly deserted: readonly string[]; readonly isSame: boolean; readonly now: Instant },
): Promise<void> {
  const object = { ...row.object, deserted: by.deserted };
  const ttl = row.gone ? { ttl: Math.floor(by.now / 1000) + tombstoneSeconds } : {};
  const key = policyRowKey(state.cluster, row.key);
  const isOver = by.deserted.length === 0;
  const due = isOver ? {} : dueAttributes(state, key, by.now + desertedEvery);
  const change = { set: { object, ...ttl, ...due }, add: { ver: 1 }, remove: isOver ? noDue : [] };
  const kept: Write = { kind: 'Update', key, change, when: compare('ver', '=', row.ver) };
  // Cached rules stay valid where only due time and TTL have changed.
  if (by.isSame) await state.table.write(kept);
  else await state.table.transact([kept, nextVersion(state, key)]);
}

function debtOf(stored: PolicyRow | undefined, next: EvictionPolicy | undefined): PolicyDebt {
  const before = stored && isLive(stored) ? stored.object : undefined;
  const { deserted: _, ...said } = before ?? {};
  const isChanged = !isSame({ ...said, resourceVersion: '' }, { ...next, resourceVersion: '' });
  const decides = [before, next].some((policy) => policy && decidesLedgers(policy));
  if (stored?.dirty === 'Moved' || (isChanged && decides)) return 'Moved';
  return stored?.dirty === 'Changed' || isChanged ? 'Changed' : true;
}

/** Due times and modes are stored in the ledgers of pods; rates, windows and limits are read when a pod is evicted. */
export function decidesLedgers(policy: EvictionPolicy): boolean {
  const { mode, modeDeadline, order, groupBy } = policy;
  return asksForAge(policy) || [mode, modeDeadline, order, groupBy].some((said) => said !== undefined);
}

export async function storeNamespace(state: State, namespace: Namespace, by: Storing): Promise<Stored<NamespaceRow>> {
  const said = (row: Pick<NamespaceRow, 'object' | 'mirror'> | undefined) => {
    const { labels = {}, annotations = {} } = row && isLive(row) ? row.object : {};
    return { labels, annotations };
  };
  return replaceObject<Namespace, boolean>(state, {
    rowKey: namespaceRowKey(state.cluster, namespace.name),
    key: namespace.name,
    object: namespace,
    ...by,
    dirty: (before) =>
      before?.dirty === true ||
      !isSame(said(before), said({ object: namespace, mirror: isGone(by) ? 'Gone' : 'Live' })),
    with: () => [nextVersion(state, namespaceRowKey(state.cluster, namespace.name))],
  });
}

function isGone({ gone }: Storing): boolean {
  return gone !== undefined;
}
