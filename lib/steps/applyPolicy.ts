// Stores what says how pods go, a policy or a namespace with labels, and answers which pods that can touch.
import { policyGoneEvent } from '../decide/policyGone.ts';
import type { Namespace } from '../model/namespace.ts';
import { type EvictionPolicy, policyRef } from '../model/policy.ts';
import { namespaceRowKey, policyRowKey } from '../state/keys.ts';
import { readLimiters } from '../state/limiterRows.ts';
import { storeNamespace, storePolicy } from '../state/policyRows.ts';
import { movesPods, readRules } from '../state/ruleSetRows.ts';
import type { State } from '../state/state.ts';
import { allPodsUsing, type FindTouched, owed, type Storing } from './applied.ts';
import { findDeserted } from './deserted.ts';
import { observe } from './observe.ts';

/** Every limiter may have another pace now, and every rule something else to say; pods are listed anew where their way is another. */
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
  return async () => {
    // What it watches for may be there already.
    await observe(state, 'Always');
    const [stored, repaced] = await Promise.all([readRules(state), readLimiters(state)]);
    const rules = stored.rows.filter((one) => !one.gone).map(({ key }) => key);
    const reports = how.gone === undefined ? [policyRef(policy.name), ...rules] : rules;
    const pods = movesPods(row, stored) ? await allPodsUsing(state, {}) : [];
    const events = event ? [event] : [];
    return { pods, reports, repaced, events, ...owed(policyRowKey(state.cluster, policy.name), row) };
  };
}

/** Its pods go in another way now. */
export async function applyNamespace(
  state: State,
  namespace: Namespace,
  how: Storing,
): Promise<FindTouched | undefined> {
  const stored = await storeNamespace(state, namespace, how);
  if (stored.kind === 'Stale') return undefined;
  const { row } = stored;
  return async () => {
    const pods = row.dirty ? await allPodsUsing(state, {}) : [];
    const mine = pods.filter((pod) => pod.startsWith(`${namespace.name}/`));
    return { pods: mine, ...owed(namespaceRowKey(state.cluster, namespace.name), row) };
  };
}
