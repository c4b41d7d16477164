// Processes due rows of the mirror: requests expected objects and finishes unfinished work.
import type { Due } from '../../model/change.ts';
import type { RequestedObject } from '../../model/message.ts';
import type { EvictionPolicy } from '../../model/policy.ts';
import type { Milliseconds } from '../../model/time.ts';
import type { ClaimRow } from '../../state/claimRows.ts';
import { kindOfDue } from '../../state/dueIndex.ts';
import { postponeExpected, readExpected } from '../../state/expectedRows.ts';
import { isInterrupted, postponeChunk, readChunk, readFanOut } from '../../state/fanOutRows.ts';
import { readHeartbeat } from '../../state/liveness.ts';
import { ofHead } from '../../state/mirrorKeys.ts';
import type { NamespaceRow, PolicyDebt, PolicyRow } from '../../state/policyRows.ts';
import { readRuleRow } from '../../state/ruleRows.ts';
import type { ClassRow } from '../../state/ruleSetRows.ts';
import type { SliceRow, TaintSliceRow } from '../../state/sliceRows.ts';
import { readDirtyRow, type State } from '../../state/state.ts';
import { dropSurvey } from '../../state/surveyRows.ts';
import { countGauges } from '../../steps/countGauges.ts';
import { fanOutFor, goOn } from '../../steps/fanOut.ts';
import { continueListed } from '../../steps/listedWalk.ts';
import { continueReports, type ReportWalk } from '../../steps/reportWalk.ts';
import type { StepDependencies } from '../../steps/step.ts';
import { switchModes } from '../../steps/switchModes.ts';
import type { Row } from '../../table.ts';
import type { Applied } from './applied.ts';
import { claimTouches } from './applyObject.ts';
import { namespaceTouches, policyTouches } from './applyPolicy.ts';
import { classTouches, ruleOwes } from './applyRule.ts';
import { sliceTouches, taintSliceTouches } from './applySlice.ts';
import { lookAtDeserted } from './deserted.ts';

/** The entries are hints; each row itself says what is still to do. */
export async function applyDue(deps: StepDependencies, state: State, due: Due): Promise<readonly Applied[]> {
  const rows = (await state.table.getMany(due.rows)).filter((row) => row.due !== undefined);
  await request(deps, state, rows);
  const lost = rows.flatMap((row) => readChunk(row) ?? []);
  await deps.queues.sendEvaluate(lost.map(({ chunk, pods }) => ({ cluster: state.cluster, pods, chunk })));
  await Promise.all(lost.map(({ chunk }) => postponeChunk(state, chunk, deps.clock.now())));
  const left = rows.flatMap((row) => readFanOut(row) ?? []);
  const now = deps.clock.now();
  const until = now + fanOutFor;
  const interrupted = rows.filter((row) => readFanOut(row) && isInterrupted(row, now));
  for (const fanOut of left) await goOn(deps, state, { fanOut, until });
  // Each survey may use the whole time of an invocation.
  const [survey, ...others] = rows.filter((one) => kindOfDue(one) === 'SURVEY');
  await deps.queues.sendDue(
    others.map(({ pk, sk }) => ({ stage: 'ingest', cluster: state.cluster, rows: [{ pk, sk }] })),
  );
  if (survey) await continueCount(deps, state, survey);
  const dirty = rows.filter((row) => row.dirty !== undefined && readExpected(row) === undefined);
  const touched = await Promise.all(dirty.map((row) => touchedBy(deps, state, row)));
  deps.metrics.add('SweepRepaired', lost.length + interrupted.length + dirty.length, state.cluster);
  for (const row of rows.filter((one) => one.dirty === undefined)) await lookAtPolicy(deps, state, row);
  const compared = rows.filter((row) => kindOfDue(row) === 'SHADOW').map(({ pod }) => ({ pods: [pod as string] }));
  return [...touched.flatMap((one) => one ?? []), ...compared];
}

/** `dropSurvey` ends a count that is no longer needed, unless it has progressed. */
async function continueCount(deps: StepDependencies, state: State, { sk, step }: Row): Promise<void> {
  if (sk === 'gauges') return countGauges(deps, state);
  if (sk === 'listed') return continueListed(deps, state);
  if (sk.startsWith('reports|')) return continueReports(deps, state, sk as ReportWalk);
  await switchModes(deps, state, { mayPlan: true });
  await dropSurvey(state, 'modes', step as number);
}

/** Pods may be pending under a deleted policy. */
async function lookAtPolicy(deps: StepDependencies, state: State, row: Row): Promise<void> {
  if (!row.sk.startsWith('EvictionPolicy#')) return;
  const policy = readDirtyRow<EvictionPolicy, PolicyDebt>(row, ofHead(row).key);
  // What a live row owes besides is settled first.
  const isLeft = policy?.object.deserted !== undefined && policy.dirty === undefined;
  if (policy && (policy.gone || isLeft)) await lookAtDeserted(state, policy, deps.clock.now());
}

/** If the watcher's clock is behind, no heartbeat shows that the queue is empty; after this time an object is requested anyway. */
const queueWait: Milliseconds = 4 * 60_000;

/** Unanswered requests, over about ten minutes, before the object counts as outstanding. */
const oftenAsked = 5;

/** Waits until a heartbeat has passed through the queue: an earlier message may still hold the object. */
async function request(deps: StepDependencies, state: State, rows: readonly Row[]): Promise<void> {
  const heard = (await readHeartbeat(state)) ?? Number.NEGATIVE_INFINITY;
  const now = deps.clock.now();
  const wanted = rows.flatMap((row) => {
    const expected = readExpected(row);
    if (!expected) return [];
    return [{ row, expected, isAsked: heard > expected.since || now - expected.since > queueWait }];
  });
  const objects: RequestedObject[] = wanted.filter(({ isAsked }) => isAsked).map(({ row }) => ofHead(row));
  if (objects.length > 0) await deps.queues.sendResend([{ cluster: state.cluster, objects }]);
  const missing = wanted.filter(({ isAsked, expected }) => isAsked && expected.asked >= oftenAsked).length;
  deps.metrics.add('ObjectsOutstanding', missing, state.cluster);
  await Promise.all(
    wanted.map(({ row, expected, isAsked }) => postponeExpected(state, row, { row: expected, isAsked, now })),
  );
}

/** The pods that the row's last writes may affect, and the work owed to them. */
async function touchedBy(deps: StepDependencies, state: State, row: Row): Promise<Applied | undefined> {
  const now = deps.clock.now();
  const { kind, key } = ofHead(row);
  const read = <T>() => readDirtyRow(row, key) as T | undefined;
  const touch = <T>(find: (found: T) => Promise<Applied> | Applied) => {
    const found = read<T>();
    return found ? find(found) : undefined;
  };
  switch (kind) {
    case 'Pod':
      return { pods: [key] };
    case 'ResourceClaim':
      return touch<ClaimRow>((found) => claimTouches(state, found));
    case 'ResourceSlice':
      return touch<SliceRow>((found) => sliceTouches(state, found, now));
    case 'DeviceTaintSlice':
      return touch<TaintSliceRow>((found) => taintSliceTouches(state, found, now));
    case 'DeviceTaintRule':
    case 'PacedTaintRule': {
      const rule = readRuleRow(row);
      return rule && ruleOwes(state, rule);
    }
    case 'DeviceClass':
      return touch<ClassRow>((found) => classTouches(deps, state, found));
    case 'EvictionPolicy':
      return touch<PolicyRow>((found) => policyTouches(deps, state, found));
    case 'Namespace':
      return touch<NamespaceRow>((found) => namespaceTouches(state, found));
    default:
      return kind satisfies never;
  }
}
