// Requests the reports that a change of a policy, a class or the modes may affect: 100 at a time, over several invocations.
import { isSelected, subjectOf } from '../decide/policy.ts';
import { taintRulesOf } from '../decide/ruleTaints.ts';
import type { PolicySelector } from '../model/policy.ts';
import type { AnyRule, RuleRef } from '../model/rule.ts';
import { compareText } from '../model/snapshot.ts';
import { taintSliceRef } from '../model/taintSlice.ts';
import { type Place, placedRows } from '../state/clusterWalk.ts';
import { currentRuleRows } from '../state/currentRules.ts';
import { slicePartition } from '../state/keys.ts';
import { askForReport } from '../state/reportRows.ts';
import { poolRowsOf } from '../state/sliceRows.ts';
import type { State } from '../state/state.ts';
import { surveyKey } from '../state/surveyRows.ts';
import { mapParallel } from './mapParallel.ts';
import type { StepDependencies } from './step.ts';
import { beginSurvey, continueSurvey } from './survey.ts';

/** The objects whose conditions may change. */
export type Reported =
  /** Rules with a taint that any of these selects: the policy's current and previous selectors. */
  | { readonly kind: 'Selected'; readonly selectors: readonly PolicySelector[] }
  | { readonly kind: 'OfClass'; readonly name: string }
  /** All rules and DeviceTaintSlices. */
  | { readonly kind: 'Every' };

export type ReportWalk = `reports|${string}`;

interface Walked {
  readonly of: Reported;
  /** Number of reports requested so far. */
  readonly asked: number;
  /** The last rule that was processed, in the order of refs. */
  readonly after?: RuleRef;
  /** Present once all rules are processed. */
  readonly slices?: Place;
}

/** Parallel writes, and reports per second. */
const atOnce = 100;

/** Selectors kept from earlier edits of a policy; beyond this number all rules are reported. */
const selectorsKept = 20;

/** Call before the change is stored: if the step is interrupted, the sweep finds the walk. A running walk restarts for both changes. */
export async function openReports(
  deps: StepDependencies,
  state: State,
  by: { readonly name: ReportWalk; readonly of: Reported },
): Promise<Reported> {
  const begun = await beginSurvey<Walked>(deps, state, by.name, (before) => ({
    of: before ? both(before.of, by.of) : by.of,
    asked: 0,
  }));
  return begun.of;
}

function both(a: Reported, b: Reported): Reported {
  if (a.kind !== 'Selected' || b.kind !== 'Selected') return b;
  const all = [...a.selectors, ...b.selectors].map((one) => [JSON.stringify(one), one] as const);
  const selectors = [...new Map(all).values()];
  return selectors.length > selectorsKept ? { kind: 'Selected', selectors: [{}] } : { kind: 'Selected', selectors };
}

const nothing: Walked = { of: { kind: 'Selected', selectors: [] }, asked: 0 };

export async function continueReports(deps: StepDependencies, state: State, name: ReportWalk): Promise<void> {
  const isOf = () => true;
  await continueSurvey(deps, state, { name, begin: nothing, isOf, walk: (from) => walk(deps, state, from) });
}

/** Runs one walk in this invocation and sends a message for each of the others. */
export async function walkReports(deps: StepDependencies, state: State, walks: ReadonlySet<ReportWalk>): Promise<void> {
  const [first, ...others] = walks;
  const dues = others.map((name) => surveyKey(state, name));
  await deps.queues.sendDue(dues.map((row) => ({ stage: 'ingest', cluster: state.cluster, rows: [row] })));
  if (first) await continueReports(deps, state, first);
}

/** The rules are cached in memory, so reads and writes are only for the rules that are reported. */
async function* walk(deps: StepDependencies, state: State, from: Walked): AsyncGenerator<Walked, Walked> {
  let walked = from;
  const { of } = from;
  if (!from.slices) {
    const refs = (await refsOf(state, of)).filter((ref) => from.after === undefined || ref > from.after);
    for (let at = 0; at < refs.length; at += atOnce) {
      const page = refs.slice(at, at + atOnce);
      walked = { of, asked: walked.asked + (await ask(deps, state, { refs: page, asked: walked.asked })) };
      walked = { ...walked, after: page.at(-1) ?? '' };
      yield walked;
    }
  }
  if (of.kind !== 'Every') return walked;
  for await (const { part, behind } of placedRows(state, slicePartition, from.slices)) {
    const refs = poolRowsOf(part).taintSlices.map(({ name, uid }) => taintSliceRef(name, uid));
    walked = { ...walked, asked: walked.asked + (await ask(deps, state, { refs, asked: walked.asked })) };
    if (behind) yield { ...walked, slices: behind };
  }
  return walked;
}

/** In ascending order. */
async function refsOf(state: State, of: Reported): Promise<readonly RuleRef[]> {
  const stored = await currentRuleRows(state);
  const refs = stored.rows.filter((row) => !row.gone && isReported(row.object, of)).map(({ key }) => key);
  return refs.toSorted(compareText);
}

function isReported(rule: AnyRule, of: Reported): boolean {
  switch (of.kind) {
    case 'Selected':
      return taintRulesOf(rule).some((one) => of.selectors.some((selector) => isSelected(selector, subjectOf(one))));
    case 'OfClass':
      return rule.kind === 'PacedTaintRule' && rule.deviceSelector?.deviceClassName === of.name;
    case 'Every':
      return true;
    default:
      return of satisfies never;
  }
}

/** Reports are spread by one second per hundred. Returns how many were requested. */
async function ask(
  deps: StepDependencies,
  state: State,
  { refs, asked }: { readonly refs: readonly string[]; readonly asked: number },
): Promise<number> {
  const now = deps.clock.now();
  const at = now + Math.floor(asked / atOnce) * 1000;
  const wanted = await mapParallel(refs, atOnce, async (rule) =>
    (await askForReport(state, rule, { at, now })) === 'Asked' ? [rule] : [],
  );
  const { cluster } = state;
  await deps.queues.sendReport(
    wanted.flat().map((rule) => ({ cluster, rule, ...(at > now ? { notBefore: at } : {}) })),
  );
  return wanted.flat().length;
}
