// Stores one object, or its deletion, and returns the pods that it can affect and the work owed to them.
import { tolerationProblems } from '../../decide/annotatedTolerations.ts';
import { formatRefusal } from '../../decide/eventText.ts';
import { planGround } from '../../decide/livePlan.ts';
import { claimProblems } from '../../decide/reservedFor.ts';
import { countsInFlight } from '../../gates/index.ts';
import type { Deleted, Upserted } from '../../model/change.ts';
import type { Pod, ResourceClaim } from '../../model/objects.ts';
import { isStrippedSlice } from '../../model/projection.ts';
import { type ClaimRow, storeClaim } from '../../state/claimRows.ts';
import { currentRuleSet } from '../../state/currentRules.ts';
import { claimRowKey } from '../../state/keys.ts';
import type { Seen, State, Storing } from '../../state/state.ts';
import { storePod } from '../../state/storePod.ts';
import { noteReleasable } from '../../steps/releaseClaim.ts';
import type { StepDependencies } from '../../steps/step.ts';
import { type Applied, type FindTouched, owed } from './applied.ts';
import { applyNamespace, applyPolicy } from './applyPolicy.ts';
import { applyClass, applyRule } from './applyRule.ts';
import { applySlice, applyTaintSlice } from './applySlice.ts';

const nothing: Applied = { pods: [] };

/** Drops a message that is older than the row or than a manifest. */
export async function applyObject(deps: StepDependencies, state: State, change: Upserted | Deleted): Promise<Applied> {
  const { object } = change;
  const seen: Seen = { uid: object.uid, resourceVersion: object.resourceVersion };
  const now = deps.clock.now();
  const refused = change.type === 'Upserted' && change.refused === true;
  const how = change.type === 'Deleted' ? { seen, now, gone: now } : { seen, now, ...(refused ? { refused } : {}) };
  const findTouched =
    object.kind === 'Pod' ? await applyPod(deps, state, object, how) : await store(deps, state, object, how);
  deps.metrics.add(findTouched ? 'ChangesApplied' : 'ChangesStale', 1, state.cluster);
  if (!findTouched) return nothing;
  await noteReleasable(deps, state, change);
  const touched = await findTouched();
  if (!refused && !(change.type === 'Upserted' && isStrippedSlice(object))) return touched;
  deps.metrics.add('ObjectsRefused', 1, state.cluster);
  return { ...touched, events: [...(touched.events ?? []), formatRefusal(object, now)] };
}

/** `undefined` where the row is newer. */
async function store(
  deps: StepDependencies,
  state: State,
  object: Exclude<Upserted['object'], Pod>,
  how: Storing,
): Promise<FindTouched | undefined> {
  switch (object.kind) {
    case 'ResourceClaim':
      return applyClaim(state, object, how);
    case 'ResourceSlice':
      return applySlice(state, object, how);
    case 'DeviceTaintSlice':
      return applyTaintSlice(state, object, how);
    case 'DeviceTaintRule':
    case 'PacedTaintRule':
      return applyRule(deps, state, object, how);
    case 'EvictionPolicy':
      return applyPolicy(deps, state, object, how);
    case 'Namespace':
      return applyNamespace(state, object, how);
    case 'DeviceClass':
      return applyClass(deps, state, object, how);
    default:
      return object satisfies never;
  }
}

async function applyPod(
  deps: StepDependencies,
  state: State,
  pod: Pod,
  how: Storing,
): Promise<FindTouched | undefined> {
  const by = { settings: deps.settings, now: how.now };
  const isCountedByNone = currentRuleSet(state).then(
    ({ rules, policies }) =>
      rules.every((rule) => planGround(rule, by) === undefined) &&
      (how.gone === undefined || policies.every((policy) => !countsInFlight(policy))),
    () => false,
  );
  const stored = await storePod(state, pod, { ...how, isCountedByNone });
  if (stored.kind === 'Stale') return undefined;
  return async () => ({ pods: stored.isEvaluated ? [] : [stored.row.key] });
}

async function applyClaim(state: State, claim: ResourceClaim, how: Storing): Promise<FindTouched | undefined> {
  const stored = await storeClaim(state, claim, how);
  if (stored.kind === 'Stale') return undefined;
  const { row } = stored;
  const problems =
    how.gone === undefined && stored.isNewAnnotation
      ? [...claimProblems(claim), ...tolerationProblems(row.object)]
      : [];
  return async () => ({
    ...claimTouches(state, row),
    problems: problems.map((problem) => ({ claim, problem })),
  });
}

export function claimTouches(state: State, row: ClaimRow): Applied {
  const whom = row.dirty === '*' ? { pods: [], reaches: [{ claim: row.key }] } : { pods: row.dirty ?? [] };
  return { ...whom, ...owed(claimRowKey(state.cluster, row.key), row) };
}
