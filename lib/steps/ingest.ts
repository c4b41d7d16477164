// Takes changes of one cluster into the table and has every pod evaluated that a change can touch.
import { formatClaimProblem } from '../decide/eventText.ts';
import type { Change } from '../model/change.ts';
import type { LimiterId } from '../model/eviction.ts';
import type { ClusterName } from '../model/identity.ts';
import { type RuleRef, ruleLimiter, ruleRef } from '../model/rule.ts';
import { podsUsing } from '../state/allocations.ts';
import { readLimiters } from '../state/limiterRows.ts';
import { staleAfter, storeHeartbeat } from '../state/liveness.ts';
import { currentRules } from '../state/neighbourhood.ts';
import { closeChunk, noteServed, openChunk, openChunks } from '../state/ruleRows.ts';
import { clearDirty } from '../state/state.ts';
import { announce, askForReports, rulesPacedBy } from './announce.ts';
import type { Applied, DirtyRule } from './applied.ts';
import { applyObject } from './applyObject.ts';
import { applyRelist } from './applyRelist.ts';
import { chunksOf } from './chunks.ts';
import { type EvaluationRequest, evaluatePods } from './evaluatePods.ts';
import { askForPlans, plansOver } from './movedPlans.ts';
import { newestOf } from './newest.ts';
import type { StepDependencies } from './step.ts';
import { switchModes } from './switchModes.ts';

/** Pods evaluated in the same invocation; the rest go to the reconcile queue in chunks of at most 100. */
const inlinePods = 10;

/** A record's failure, so that only its message comes back. */
export type RecordResult = { readonly kind: 'Done' } | { readonly kind: 'Failed'; readonly error: unknown };

/**
 * One invocation's changes, stored side by side; each record fails alone. Evaluation of what they touched comes after all
 * of them, so that ten changes of one pod cost one evaluation.
 */
export async function ingest(
  deps: StepDependencies,
  cluster: ClusterName,
  changes: readonly Change[],
): Promise<readonly RecordResult[]> {
  const state = { table: deps.table, cluster };
  const newest = newestOf(changes);
  const results = await Promise.allSettled(
    changes.map(async (change, i) => {
      if (newest[i] === i) return applyChange(deps, cluster, change);
      deps.metrics.add('ChangesStale', 1, cluster);
      return [];
    }),
  );
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

async function applyChange(deps: StepDependencies, cluster: ClusterName, change: Change): Promise<readonly Applied[]> {
  const state = { table: deps.table, cluster };
  switch (change.type) {
    case 'Heartbeat':
      return heartbeat(deps, cluster, change);
    case 'Switched':
      await switchModes(deps, state, { mayPlan: true });
      return [];
    case 'Relisted':
      return applyRelist(deps, state, change);
    case 'Upserted':
    case 'Deleted':
      return [await applyObject(deps, state, change)];
    default:
      return change satisfies never;
  }
}

/** After a silence every limiter stood still; now they may go on. */
async function heartbeat(
  deps: StepDependencies,
  cluster: ClusterName,
  change: Extract<Change, { type: 'Heartbeat' }>,
): Promise<readonly Applied[]> {
  const state = { table: deps.table, cluster };
  const now = deps.clock.now();
  deps.metrics.add('WatcherHeartbeat', 1, cluster);
  deps.metrics.add('WatcherLag', Math.max(0, now - change.at), cluster);
  const { before } = await storeHeartbeat(state, change, now);
  // What reserves a claim depends on it, so everybody is looked at again.
  if (await noteServed(state, { podGroups: 'PodGroup' in change.watched })) await reconcileAll(deps, state);
  await switchModes(deps, state, { mayPlan: false, inTree: change.inTree });
  if (before !== undefined && Math.abs(change.at - before) < staleAfter) return [];
  const limiters = await readLimiters(state);
  await deps.queues.sendPace(limiters.map((limiter: LimiterId) => ({ cluster, limiter })));
  await askForReports(deps, state, rulesPacedBy(limiters, await currentRules(state)));
  return [];
}

async function reconcileAll(deps: StepDependencies, state: EvaluationRequest['state']): Promise<void> {
  for await (const pods of podsUsing(state, {}))
    await deps.queues.sendReconcile(chunksOf(pods).map((chunk) => ({ cluster: state.cluster, pods: chunk })));
}

async function evaluateTouched(
  deps: StepDependencies,
  state: EvaluationRequest['state'],
  applied: readonly Applied[],
): Promise<void> {
  const pods = [...new Set(applied.flatMap((one) => one.pods))];
  const rules = applied.flatMap((one) => one.rule ?? []);
  const [first, rest] = [pods.slice(0, inlinePods), pods.slice(inlinePods)];
  const queued = new Set(rest);
  const chunks = await queueChunks(deps, state, { applied, queued });
  const evaluated = await evaluatePods(deps, { state, pods: first, areFew: true });
  await announce(deps, state, evaluated);
  await Promise.all(applied.flatMap((one) => (one.dirty ? [clearDirty(state, one.dirty.key, one.dirty.row)] : [])));
  const at = deps.clock.now();
  const problems = applied.flatMap((one) => one.problems ?? []);
  const events = [
    ...problems.map(({ claim, problem }) => formatClaimProblem(claim, problem, at)),
    ...applied.flatMap((one) => one.events ?? []),
  ];
  await deps.queues.sendEvents(events.map((event) => ({ cluster: state.cluster, event })));
  await askForPlans(deps, state, await plansOver(deps, state, new Set(applied.flatMap((one) => one.driver ?? []))));
  const { cluster } = state;
  await deps.queues.sendPace(applied.flatMap(({ repaced = [] }) => repaced.map((limiter) => ({ cluster, limiter }))));
  const reports = new Set(applied.flatMap((one) => one.reports ?? []));
  await deps.queues.sendReport([...reports].map((rule) => ({ cluster, rule })));
  await Promise.all([
    paceLimited(deps, state, new Set(rules.map(({ ref }) => ref))),
    ...rules.map((rule) => reportChanged(deps, state, { rule, chunks: chunks.has(rule.ref) })),
  ]);
}

/** Under limits nobody gets a slot before all pods of a rule are evaluated; now they are, unless chunks are open. */
async function paceLimited(
  deps: StepDependencies,
  state: EvaluationRequest['state'],
  refs: ReadonlySet<RuleRef>,
): Promise<void> {
  if (refs.size === 0) return;
  const limited = (await currentRules(state)).filter((rule) => rule.policy?.limits && refs.has(ruleRef(rule)));
  await deps.queues.sendPace(limited.map((rule) => ({ cluster: state.cluster, limiter: ruleLimiter(rule) })));
}

/** Hands pods to the reconcile queue; chunks that a rule's fan-out owes are opened first, so that its condition waits. */
async function queueChunks(
  deps: StepDependencies,
  state: EvaluationRequest['state'],
  by: { applied: readonly Applied[]; queued: ReadonlySet<string> },
): Promise<ReadonlySet<string>> {
  const owing = new Set<string>();
  const left = new Set(by.queued);
  for (const { rule, pods } of by.applied) {
    if (!rule) continue;
    const mine = pods.filter((pod) => by.queued.has(pod));
    for (const [i, chunk] of chunksOf(mine).entries()) {
      const fanout = { rule: rule.ref, epoch: rule.epoch, chunk: `${rule.resourceVersion}.${i}` };
      await openChunk(state, rule.ref, { epoch: rule.epoch, id: fanout.chunk, now: deps.clock.now() });
      await deps.queues.sendReconcile([{ cluster: state.cluster, pods: chunk, fanout }]);
      owing.add(rule.ref);
      for (const pod of chunk) left.delete(pod);
    }
  }
  await deps.queues.sendReconcile(chunksOf([...left]).map((pods) => ({ cluster: state.cluster, pods })));
  return owing;
}

/** Reports a changed rule at once when nothing of its fan-out is open, and in any case once more after the throttle. */
async function reportChanged(
  deps: StepDependencies,
  state: EvaluationRequest['state'],
  by: { rule: DirtyRule; chunks: boolean },
): Promise<void> {
  const { cluster } = state;
  const later = { cluster, rule: by.rule.ref, notBefore: deps.clock.now() + 11_000 };
  const open = by.chunks || (await openChunks(state, by.rule.ref, by.rule.epoch));
  await deps.queues.sendReport(open ? [later] : [{ cluster, rule: by.rule.ref }, later]);
}

/** The reconcile step's end of a chunk: the last one of a fan-out has the rule reported. */
export async function finishChunk(
  deps: StepDependencies,
  state: EvaluationRequest['state'],
  fanout: { readonly rule: string; readonly epoch: string; readonly chunk: string },
): Promise<void> {
  await closeChunk(state, fanout.rule, { epoch: fanout.epoch, id: fanout.chunk });
  if (await openChunks(state, fanout.rule, fanout.epoch)) return;
  await paceLimited(deps, state, new Set([fanout.rule]));
  await deps.queues.sendReport([{ cluster: state.cluster, rule: fanout.rule }]);
}
