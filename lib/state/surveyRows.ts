// What goes through a whole cluster and takes longer than one invocation: how far it has come, and what it has counted so far.
import type { Instant, Milliseconds } from '../model/time.ts';
import { absent, compare, type Key, type Row } from '../table.ts';
import { dueAttributes } from './dueIndex.ts';
import { surveyPartition } from './modeKeys.ts';
import type { State } from './state.ts';

/** What is counted: the gauges of the sweep, or who would go once a source of taints is switched on; or what is told of a change. */
export type SurveyName = 'gauges' | 'modes' | 'listed' | `reports|${string}`;

export interface Survey<T> {
  readonly begunAt: Instant;
  /** Moves with each step that has counted further; those of one that begins later are all greater. */
  readonly step: number;
  readonly found: T;
}

/**
 * Step numbers of a survey begin at the time of its begin multiplied by this, so that those of a later one are greater.
 * The number of steps in a chain of messages (lib/steps/survey.ts) must divide it.
 */
const stepsEach = 64;

/** By then a step that works on it has stored how far it is, or has ended half way. */
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

/** A step that is slow does not take the row of a later survey for that of its own, which was deleted. */
export function nextStep(before: Pick<Survey<unknown>, 'step'> | undefined, begunAt: Instant): number {
  return (before?.step ?? begunAt * stepsEach) + 1;
}

/** `Lost`: another step has counted further meanwhile, or has begun again. */
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

/** Nothing is written where nothing was stored. */
export async function endSurvey(
  state: State,
  name: SurveyName,
  before: Survey<unknown> | undefined,
): Promise<'Ended' | 'Lost'> {
  return before ? dropSurvey(state, name, before.step) : 'Ended';
}

/** Unless it has moved since. */
export async function dropSurvey(state: State, name: SurveyName, step: number): Promise<'Ended' | 'Lost'> {
  const key = surveyKey(state, name);
  const result = await state.table.write({ kind: 'Delete', key, when: compare('step', '=', step) });
  return result.kind === 'Written' ? 'Ended' : 'Lost';
}
