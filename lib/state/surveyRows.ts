// Progress and results of walks over a whole cluster that take several invocations.
import type { Instant, Milliseconds } from '../model/time.ts';
import { absent, compare, type Key, type Row } from '../table.ts';
import { dueAttributes } from './dueIndex.ts';
import { surveyPartition } from './modeKeys.ts';
import type { State } from './state.ts';

/** Gauges of the sweep; pods that a source would evict once switched on; listed pods; reports that a change requires. */
export type SurveyName = 'gauges' | 'modes' | 'listed' | `reports|${string}`;

export interface Survey<T> {
  readonly begunAt: Instant;
  /** Increases with each stored step; the numbers of a later survey are all greater. */
  readonly step: number;
  readonly found: T;
}

/**
 * The step numbers of a survey begin at its begin time multiplied by this, so that those of a later one are greater.
 * The number of steps in a chain of messages (lib/steps/survey.ts) must divide it.
 */
const stepsEach = 64;

/** After this time, the step that runs the survey has stored its progress, or was interrupted. */
const leftAfter: Milliseconds = 60_000;

export function surveyKey({ cluster }: Pick<State, 'cluster'>, name: SurveyName): Key {
  return { pk: surveyPartition(cluster), sk: name };
}

export async function readSurvey<T>(state: State, name: SurveyName): Promise<Survey<T> | undefined> {
  return surveyOf<T>(await state.table.get(surveyKey(state, name)));
}

function surveyOf<T>(row: Row | undefined): Survey<T> | undefined {
  return row && { begunAt: row.begunAt as Instant, step: row.step as number, found: row.found as T };
}

/** With increasing numbers, a slow step does not mistake the row of a later survey for its own deleted row. */
export function nextStep(before: Pick<Survey<unknown>, 'step'> | undefined, begunAt: Instant): number {
  return (before?.step ?? begunAt * stepsEach) + 1;
}

/** `Lost`: another step stored its progress first, or restarted the survey. */
export async function storeSurvey<T>(
  state: State,
  name: SurveyName,
  by: { readonly before: Survey<T> | undefined; readonly found: T; readonly begunAt: Instant; readonly now: Instant },
): Promise<'Stored' | 'Lost'> {
  const { before, found, begunAt, now } = by;
  const key = surveyKey(state, name);
  const set = { found, begunAt, step: nextStep(before, begunAt), ...dueAttributes(state, key, now + leftAfter) };
  const when = before ? compare('step', '=', before.step) : absent('step');
  const result = await state.table.write({ kind: 'Update', key, change: { set }, when });
  return result.kind === 'Written' ? 'Stored' : 'Lost';
}

/** Does nothing where no progress was stored. */
export async function endSurvey(
  state: State,
  name: SurveyName,
  before: Survey<unknown> | undefined,
): Promise<'Ended' | 'Lost'> {
  return before ? dropSurvey(state, name, before.step) : 'Ended';
}

/** Deletes the progress, unless it has changed since. */
export async function dropSurvey(state: State, name: SurveyName, step: number): Promise<'Ended' | 'Lost'> {
  const key = surveyKey(state, name);
  const result = await state.table.write({ kind: 'Delete', key, when: compare('step', '=', step) });
  return result.kind === 'Written' ? 'Ended' : 'Lost';
}
