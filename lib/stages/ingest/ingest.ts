// Takes changes of one cluster into the table and has every pod evaluated that a change can touch.
import { formatClaimProblem } from '../../decide/eventText.ts';
import type { Change } from '../../model/change.ts';
import type { LimiterId } from '../../model/eviction.ts';
import type { ClusterId } from '../../model/identity.ts';
import { clearDirty } from '../../state/clearDirty.ts';
import { isFanningOut } from '../../state/fanOutRows.ts';
import { isAnotherCluster, noteIncarnation } from '../../state/incarnationRows.ts';
import { readLimiters } from '../../state/limiterRows.ts';
import { staleAfter, storeHeartbeat } from '../../state/liveness.ts';
import { currentRules } from '../../state/neighbourhood.ts';
import { noteServed, settleServed } from '../../state/ruleVersion.ts';
import { announce, askForReports, rulesPacedBy } from '../../steps/announce.ts';
import { type EvaluationRequest, evaluatePods } from '../../steps/evaluatePods.ts';
import { fanOutTo, wakeRules } from '../../steps/fanOut.ts';
import { askForPlans, plansOver, projectionsOver } from '../../steps/movedPlans.ts';
import type { StepDependencies } from '../../steps/step.ts';
import { switchModes } from '../../steps/switchModes.ts';
import type { Applied, DirtyRule } from './applied.ts';
import { endObject } from './applyAbsent.ts';
import { applyDue } from './applyDue.ts';
import { applyManifest } from './applyManifest.ts';
import { applyObject } from './applyObject.ts';
import { findTouched } from './findTouched.ts';
import { newestOf } from './newest.ts';

/** A record's failure, so that only its message comes back. */
export type RecordResult = { readonly kind: 'Done' } | { readonly kind: 'Failed'; readonly error: unknown };

/**
 * One invocation's changes, stored side by side; each record fails alone. Evaluation of what they touched comes after all
 * of them, so that ten changes of one pod cost one evaluation.
 */
export async function ingest(
  deps: StepDependencies,
  cluster: ClusterId,
  changes: readonly Change[],
): Promise<readonly RecordResult[]> {
  const state = { table: deps.table, cluster };
  const newest = newestOf(changes);
  const apply = async (change: Change, i: number): Promise<readonly Applied[]> => {
    if (newest[i] === i) return applyChange(deps, cluster, change);
    deps.metrics.add('ChangesStale', 1, cluster);
    return [];
  };
  // Objects that come together with the manifest that shows them need no request.
  const isManifest = ({ type }: Change) => type === 'Manifest';
  const objects = await Promise.allSettled(changes.map((one, i) => (isManifest(one) ? [] : apply(one, i))));
  const manifests = await Promise.allSettled(changes.map((one, i) => (isManifest(one) ? apply(one, i) : [])));
  const results = changes.flatMap((one, i) => (isManifest(one) ? manifests : objects)[i] ?? []);
  const applied = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  try {
    await evaluateTouched(deps, state, applied);
  } catch (error) {
    return changes.map(() => ({ kind: 'Failed', error }));
  }
  // What another one stands for comes back with it.
  return newest.map((at) => {
    const result = results[at];
    return result?.status === 'rejected' ? { kind: 'Failed', error: result.reason } : { kind: 'Done' };
  });
}

async function applyChange(deps: StepDependencies, cluster: ClusterId, change: Change): Promise<readonly Applied[]> {
  const state = { table: deps.table, cluster };
  switch (change.type) {
    case 'Heartbeat':
      return heartbeat(deps, cluster, change);
    case 'Switched':
      await switchModes(deps, state, { mayPlan: true });
      return [];
    case 'Manifest':
      return applyManifest(deps, state, change);
    case 'Absent':
      return endObject(deps, state, change);
    case 'Due':
      return applyDue(deps, state, change);
    case 'Upserted':
    case 'Deleted':
      return [await applyObject(deps, state, change)];
    default:
      return change satisfies never;
  }
}

/** After a silence every limiter evicted no pod; now they may continue. */
async function heartbeat(
  deps: StepDependencies,
  cluster: ClusterId,
  change: Extract<Change, { type: 'Heartbeat' }>,
): Promise<readonly Applied[]> {
  const state = { table: deps.table, cluster };
  const now = deps.clock.now();
  deps.metrics.add('WatcherLag', Math.max(0, now - change.at), cluster);
  const others = await noteIncarnation(state, { at: change.at, now });
  if (others.some((one) => isAnotherCluster(state, one, now))) deps.metrics.add('ClustersUnderOneName', 1, cluster);
  const { before } = await storeHeartbeat(state, change, now);
  // What reserves a claim depends on it, so all pods are evaluated again.
  const served = { podGroups: 'PodGroup' in change.watched, notServed: change.notServed ?? [] };
  const owed = await noteServed(state, served);
  if (owed !== undefined) {
    await fanOutTo(deps, state, { cause: 'served#', epoch: String(owed), reaches: [{}] });
    await settleServed(state, owed);
  }
  await switchModes(deps, state, { mayPlan: false, inTree: change.inTree });
  if (before !== undefined && Math.abs(change.at - before) < staleAfter) return [];
  const limiters = await readLimiters(state);
  await deps.queues.sendEvict(limiters.map((limiter: LimiterId) => ({ cluster, limiter })));
  await askForReports(deps, state, rulesPacedBy(limiters, await currentRules(state)));
  return [];
}

async function evaluateTouched(
  deps: StepDependencies,
  state: EvaluationRequest['state'],
  applied: readonly Applied[],
): Promise<void> {
  const rules = applied.flatMap((one) => one.rule ?? []);
  const { pods, fannedOut } = await findTouched(deps, state, applied);
  const evaluated = await evaluatePods(deps, { state, pods });
  await announce(deps, state, evaluated);
  await Promise.all(applied.flatMap((one) => (one.dirty ? [clearDirty(state, one.dirty.key, one.dirty)] : [])));
  const at = deps.clock.now();
  const problems = applied.flatMap((one) => one.problems ?? []);
  const events = [
    ...problems.map(({ claim, problem }) => formatClaimProblem(claim, problem, at)),
    ...applied.flatMap((one) => one.events ?? []),
  ];
  await deps.queues.sendEvents(events.map((event) => ({ cluster: state.cluster, event })));
  const drivers = new Set(applied.flatMap((one) => one.driver ?? []));
  await askForPlans(deps, state, await plansOver(deps, state, drivers));
  await askForReports(deps, state, new Set(await projectionsOver(deps, state, drivers)));
  const { cluster } = state;
  await deps.queues.sendEvict(applied.flatMap(({ repaced = [] }) => repaced.map((limiter) => ({ cluster, limiter }))));
  const reports = new Set(applied.flatMap((one) => one.reports ?? []));
  await deps.queues.sendReport([...reports].map((rule) => ({ cluster, rule })));
  await Promise.all([
    wakeRules(deps, state, { refs: new Set(rules.map(({ ref }) => ref)), woken: evaluated.wake }),
    ...rules.map((rule) => reportChanged(deps, state, { rule, isOpen: fannedOut.has(rule.ref) })),
  ]);
}

/** Upstream's throttle of conditions, and a second. */
const afterThrottle = 11_000;

/** Reports a changed rule at once when nothing of its fan-out is open, and in any case once more after the throttle. */
async function reportChanged(
  deps: StepDependencies,
  state: EvaluationRequest['state'],
  by: { rule: DirtyRule; isOpen: boolean },
): Promise<void> {
  const { cluster } = state;
  await askForReports(deps, state, [by.rule.ref], afterThrottle);
  const open = by.isOpen || (await isFanningOut(state, by.rule.ref, by.rule.epoch));
  if (!open) await deps.queues.sendReport([{ cluster, rule: by.rule.ref }]);
}
