// Stores a policy, or a namespace with labels or pauses, and returns the pods that it can affect.
import { isSelected, subjectOf } from '../../decide/policy.ts';
import { policyGoneEvent } from '../../decide/policyGone.ts';
import { sliceSubject } from '../../decide/rate.ts';
import { hearShown } from '../../mirror/order.ts';
import type { LimiterId } from '../../model/eviction.ts';
import type { Namespace } from '../../model/namespace.ts';
import { type EvictionPolicy, type PolicySelector, policyRef } from '../../model/policy.ts';
import { ruleLimiter } from '../../model/rule.ts';
import { currentRuleRows } from '../../state/currentRules.ts';
import { namespaceRowKey, policyRowKey } from '../../state/keys.ts';
import { readSliceLimiters, registeredAmong } from '../../state/limiterRows.ts';
import {
  desertedEvery,
  type NamespaceRow,
  type PolicyRow,
  storeNamespace,
  storePolicy,
} from '../../state/policyRows.ts';
import { liveTaintRules, movesPods, type StoredRules } from '../../state/ruleSetRows.ts';
import type { State, Storing } from '../../state/state.ts';
import { openReports, type Reported } from '../../steps/reportWalk.ts';
import type { StepDependencies } from '../../steps/step.ts';
import { type Applied, type FindTouched, owed } from './applied.ts';
import { findDeserted } from './deserted.ts';
import { observe } from './observe.ts';

/** Wakes the limiters that it applies or applied to, reports their rules, and re-evaluates pods if modes or times may change. */
export async function applyPolicy(
  deps: StepDependencies,
  state: State,
  policy: EvictionPolicy,
  how: Storing,
): Promise<FindTouched | undefined> {
  // Rules that the previous version selected may need an update too.
  const before = (await currentRuleRows(state)).policies.find(({ key }) => key === policy.name);
  if (before && hearShown(before, how.seen) !== 'Stale')
    await openReports(deps, state, reportsOf(policy.name, before.object.taints));
  const left = how.gone === undefined ? {} : { deserted: await findDeserted(state, policy) };
  const stored = await storePolicy(state, policy, { ...how, ...left });
  if (stored.kind === 'Stale') return undefined;
  const { row } = stored;
  const event = row.gone ? policyGoneEvent(row.object, how.now) : undefined;
  return async () => ({ ...(await policyTouches(deps, state, row)), events: event ? [event] : [] });
}

function reportsOf(name: string, taints: PolicySelector) {
  return { name: `reports|${policyRef(name)}`, of: { kind: 'Selected', selectors: [taints] } } as const;
}

export async function policyTouches(deps: StepDependencies, state: State, row: PolicyRow): Promise<Applied> {
  const now = deps.clock.now();
  // The wave that the policy watches for may already exist.
  await observe(state, 'Always', now);
  const walk = reportsOf(row.key, row.object.taints);
  const [stored, reported] = await Promise.all([currentRuleRows(state), openReports(deps, state, walk)]);
  const repaced = await pacedBy(state, { reported, stored });
  const reports = row.gone ? [] : [policyRef(row.key)];
  const reaches = movesPods(row, stored) ? [{}] : [];
  const { dirty } = owed(policyRowKey(state.cluster, row.key), row);
  const isDeserted = (row.object.deserted ?? []).length > 0;
  const owes = dirty ? { dirty: { ...dirty, ...(isDeserted ? { again: now + desertedEvery } : {}) } } : {};
  return { pods: [], reaches, reports, reportWalk: walk.name, repaced, ...owes };
}

/** The limiters that the policy applies to, or applied to before. */
async function pacedBy(
  state: State,
  { reported, stored }: { readonly reported: Reported; readonly stored: StoredRules },
): Promise<readonly LimiterId[]> {
  const selectors = reported.kind === 'Selected' ? reported.selectors : [{}];
  const rules = liveTaintRules(stored).filter((rule) =>
    selectors.some((taints) => isSelected(taints, subjectOf(rule))),
  );
  const [ofRules, ofSlices] = await Promise.all([
    registeredAmong(state, rules.map(ruleLimiter)),
    readSliceLimiters(state, (limiter) => selectors.some((taints) => isSelected(taints, sliceSubject(limiter)))),
  ]);
  return [...ofRules, ...ofSlices];
}

/** The labels of a namespace can change the eviction mode of its pods, and its pauses keep them. */
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
