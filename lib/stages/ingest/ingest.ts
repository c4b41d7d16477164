// Stores changes of one cluster in the table and has every pod evaluated that a change can affect.
import { formatClaimProblem } from '../../decide/eventText.ts';
import { sharedRead } from '../../memory.ts';
import { type Change, type SingleChange, singleChanges } from '../../model/change.ts';
import type { ClusterId } from '../../model/identity.ts';
import type { Milliseconds } from '../../model/time.ts';
import { clearDirty } from '../../state/clearDirty.ts';
import { isFanningOut } from '../../state/fanOutRows.ts';
import { registerIncarnation } from '../../state/incarnationRows.ts';
import { registerLimiters } from '../../state/spreadList.ts';
import { announce, askForReports } from '../../steps/announce.ts';
import { type EvaluationRequest, evaluatePods } from '../../steps/evaluatePods.ts';
import { wakeRules } from '../../steps/fanOut.ts';
import { mapParallel } from '../../steps/mapParallel.ts';
import { askForPlans, plansOver, projectionsOver } from '../../steps/movedPlans.ts';
import { walkReports } from '../../steps/reportWalk.ts';
import type { StepDependencies } from '../../steps/step.ts';
import { switchModes } from '../../steps/switchModes.ts';
import type { Applied, DirtyRule } from './applied.ts';
import { endObject } from './applyAbsent.ts';
import { applyDue } from './applyDue.ts';
import { applyManifest } from './applyManifest.ts';
import { applyObject } from './applyObject.ts';
import { findTouched } from './findTouched.ts';
import { heartbeat } from './heartbeat.ts';
import { newestOf } from './newest.ts';

/** Result per record, so that only the messages of `Failed` and `Later` records are redelivered. `Later`: there was no time left. */
export type RecordResult =
  | { readonly kind: 'Done' }
  | { readonly kind: 'Later' }
  | { readonly kind: 'Failed'; readonly error: unknown };

/** Time to start objects: a busy machine needs 10 s for the objects of one message; the function's timeout is 30 s. */
const ingestFor: Milliseconds = 12_000;

/** The same for messages that came back: each delivery counts as a receive, and the queue allows eight (maxReceiveCount). */
const ingestPressedFor: Milliseconds = 18_000;

/** How long a process assumes that its incarnation is registered. */
const registeredFor: Milliseconds = 60 * 60_000;

/** Objects stored in parallel: reads and writes of this many are few requests, and the work in memory stays small. */
const sideBySide = 300;

/** Stores one invocation's changes; each record fails as a whole. `pressed`: how many records, the first ones, came back. */
export async function ingest(
  deps: StepDependencies,
  cluster: ClusterId,
  changes: readonly Change[],
  pressed = 0,
): Promise<readonly RecordResult[]> {
  const begun = deps.clock.now();
  const single = changes.flatMap((change, of) => singleChanges(change).map((one) => ({ one, of })));
  const results: RecordResult[] = changes.map(() => ({ kind: 'Done' }));
  for (let from = 0; from < single.length; from += sideBySide) {
    const left = single.slice(from);
    const most = (left[0]?.of ?? 0) < pressed ? ingestPressedFor : ingestFor;
    if (from > 0 && deps.clock.now() - begun >= most) return withLater(results, new Set(left.map(({ of }) => of)));
    const some = left.slice(0, sideBySide);
    const ones = some.map(({ one }) => one);
    for (const [i, result] of (await take(deps, cluster, ones)).entries()) {
      const { of = 0 } = some[i] ?? {};
      if (result.kind === 'Failed') results[of] = result;
    }
  }
  return results;
}

/** Marks the records that were not started as `Later`; failed records stay `Failed`. */
function withLater(results: readonly RecordResult[], left: ReadonlySet<number>): readonly RecordResult[] {
  return results.map((result, of) => (left.has(of) && result.kind === 'Done' ? { kind: 'Later' } : result));
}

/**
 * Stores changes in parallel and evaluates afterwards, so that ten changes of one pod cost one evaluation.
 */
async function take(
  deps: StepDependencies,
  cluster: ClusterId,
  changes: readonly SingleChange[],
): Promise<readonly RecordResult[]> {
  const state = { table: deps.table, cluster, memory: deps.memory };
  const newest = newestOf(changes);
  const apply = async (change: SingleChange, i: number): Promise<readonly Applied[]> => {
    const now = deps.clock.now();
    const by = { kind: 'incarnation', key: cluster, now, maxAge: registeredFor };
    await sharedRead(deps.memory, by, () => registerIncarnation(state, now));
    if (newest[i] === i) return applyChange(deps, cluster, change);
    deps.metrics.add('ChangesStale', 1, cluster);
    return [];
  };
  // Store objects before manifests: an object that arrives with the manifest that lists it need not be requested.
  const isManifest = ({ type }: SingleChange) => type === 'Manifest';
  const objects = await Promise.allSettled(changes.map((one, i) => (isManifest(one) ? [] : apply(one, i))));
  const manifests = await Promise.allSettled(changes.map((one, i) => (isManifest(one) ? apply(one, i) : [])));
  const results = changes.flatMap((one, i) => (isManifest(one) ? manifests : objects)[i] ?? []);
  const applied = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  try {
    await evaluateTouched(deps, state, applied);
  } catch (error) {
    return changes.map(() => ({ kind: 'Failed', error }));
  }
  // A skipped change shares the result of the newer change that replaced it.
  return newest.map((at) => {
    const result = results[at];
    return result?.status === 'rejected' ? { kind: 'Failed', error: result.reason } : { kind: 'Done' };
  });
}

async function applyChange(
  deps: StepDependencies,
  cluster: ClusterId,
  change: SingleChange,
): Promise<readonly Applied[]> {
  const state = { table: deps.table, cluster, memory: deps.memory };
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

async function evaluateTouched(
  deps: StepDependencies,
  state: EvaluationRequest['state'],
  applied: readonly Applied[],
): Promise<void> {
  const rules = applied.flatMap((one) => one.rule ?? []);
  const { pods, pools, fannedOut } = await findTouched(deps, state, applied);
  // Runs in parallel with reading the pods: an evaluation registers missing limiters itself before it lists pods.
  const limiters = pods.length > 0 ? rules.flatMap((rule) => rule.limiters) : [];
  const [evaluated] = await Promise.all([
    evaluatePods(deps, { state, pods, pools }),
    registerLimiters(state, limiters, deps.clock.now()),
  ]);
  await announce(deps, state, evaluated);
  const dirty = applied.flatMap((one) => one.dirty ?? []);
  await mapParallel(dirty, sideBySide, (one) => clearDirty(state, one.key, one));
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
  await walkReports(deps, state, new Set(applied.flatMap(({ reportWalk }) => reportWalk ?? [])));
  await Promise.all([
    wakeRules(deps, state, { refs: new Set(rules.map(({ ref }) => ref)), woken: evaluated.wake }),
    ...rules.map((rule) => reportChanged(deps, state, { rule, isOpen: fannedOut.has(rule.ref) })),
  ]);
}

/** Upstream's throttle of conditions (10 s), plus one second. */
const afterThrottle = 11_000;

/** Reports a changed rule at once if none of its fan-out is open, and always again after the throttle. */
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
