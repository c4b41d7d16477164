// Stores what says how pods go, a policy or a namespace with labels, and answers which pods that can touch.
import { policyGoneEvent } from '../../decide/policyGone.ts';
import type { Namespace } from '../../model/namespace.ts';
import { type EvictionPolicy, policyRef } from '../../model/policy.ts';
import type { Instant } from '../../model/time.ts';
import { namespaceRowKey, policyRowKey } from '../../state/keys.ts';
import { readLimiters } from '../../state/limiterRows.ts';
import {
  desertedEvery,
  type NamespaceRow,
  type PolicyRow,
  storeNamespace,
  storePolicy,
} from '../../state/policyRows.ts';
import { movesPods, readRules } from '../../state/ruleSetRows.ts';
import type { State, Storing } from '../../state/state.ts';
import { type Applied, type FindTouched, owed } from './applied.ts';
import { findDeserted } from './deserted.ts';
import { observe } from './observe.ts';

/** Every limiter may have another pace now, and every rule something else to say; pods are listed again where their way is another. */
export async function applyPolicy(
  state: State,
  policy: EvictionPolicy,
  how: Storing,
): Promise<FindTouched | undefined> {
  const left = how.gone === undefined ? {} : { deserted: await findDeserted(state, policy) };
  const stored = await storePolicy(state, policy, { ...how, ...left });
  if (stored.kind === 'Stale') return undefined;
  const { row } = stored;
  const event = row.gone ? policyGoneEvent(row.object, how.now) : undefined;
  return async () => ({ ...(await policyTouches(state, row, how.now)), events: event ? [event] : [] });
}

export async function policyTouches(state: State, row: PolicyRow, now: Instant): Promise<Applied> {
  // What it watches for may be there already.
  await observe(state, 'Always', now);
  const [stored, repaced] = await Promise.all([readRules(state), readLimiters(state)]);
  const rules = stored.rows.filter((one) => !one.gone).map(({ key }) => key);
  const reports = row.gone ? rules : [policyRef(row.key), ...rules];
  const reaches = movesPods(row, stored) ? [{}] : [];
  const { dirty } = owed(policyRowKey(state.cluster, row.key), row);
  const isDeserted = row.gone && (row.object.deserted ?? []).length > 0;
  const owes = dirty ? { dirty: { ...dirty, ...(isDeserted ? { again: now + desertedEvery } : {}) } } : {};
  return { pods: [], reaches, reports, repaced, ...owes };
}

/** Its pods go in another way now. */
export async function applyNamespace(
  state: State,
  namespace: Namespace,
  how: Storing,
): Promise<FindTouched | undefined> {
  const stored = await storeNamespace(state, namespace, how);
  if (stored.kind === 'Stale') return undefined;
  return async () => namespaceTouches(state, stored.row);
}

export function namespaceTouches(state: State, row: NamespaceRow): Applied {
  const reaches = row.dirty ? [{ namespace: row.key }] : [];
  return { pods: [], reaches, ...owed(namespaceRowKey(state.cluster, row.key), row) };
}
