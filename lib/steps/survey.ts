// Walks over a whole cluster that take a limited time per invocation and continue in the next one.
import type { Instant, Milliseconds } from '../model/time.ts';
import type { State } from '../state/state.ts';
import {
  endSurvey,
  nextStep,
  readSurvey,
  type Survey,
  type SurveyName,
  storeSurvey,
  surveyKey,
} from '../state/surveyRows.ts';
import type { StepDependencies } from './step.ts';

/** Time per invocation, well below the function's timeout. */
const surveyFor: Milliseconds = 10_000;

/** AWS Lambda stops a function that sends to its own queue after about 16 rounds; before that, the sweep continues the walk. */
const roundsOfChain = 8;

export interface Surveying<T> {
  readonly name: SurveyName;
  /** The result before the first page. */
  readonly begin: T;
  /** Whether a stored survey may be continued; if not, it restarts. */
  readonly isOf: (survey: Survey<T>) => boolean;
  /** Yields the result so far after each page, with the position of the next page; returns the final result. */
  readonly walk: (from: T) => AsyncGenerator<T, T>;
}

const attempts = 5;

/** For a step that may be interrupted: the sweep continues the survey. A survey under way restarts from `of(before)`. */
export async function beginSurvey<T>(
  { clock }: Pick<StepDependencies, 'clock'>,
  state: State,
  name: SurveyName,
  of: (before: T | undefined) => T,
): Promise<T> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const before = await readSurvey<T>(state, name);
    const found = of(before?.found);
    const now = clock.now();
    if ((await storeSurvey(state, name, { before, found, begunAt: now, now })) === 'Stored') return found;
  }
  throw new Error(`${name} moved under ${attempts} attempts to begin it; the message is retried`);
}

/** For a step without the time to read a cluster: ingest begins the survey, unless one is under way, which the sweep continues. */
export async function requestSurvey<T>(
  { clock, queues }: Pick<StepDependencies, 'clock' | 'queues'>,
  state: State,
  { name, begin }: Pick<Surveying<T>, 'name' | 'begin'>,
): Promise<void> {
  const now = clock.now();
  const by = { before: undefined, found: begin, begunAt: now, now };
  if ((await storeSurvey(state, name, by)) === 'Lost') return;
  await queues.sendDue([{ stage: 'ingest', cluster: state.cluster, rows: [surveyKey(state, name)] }]);
}

/** Returns the final result, or `undefined` after sending a message for the next invocation. */
export async function continueSurvey<T>(
  deps: StepDependencies,
  state: State,
  { name, begin, isOf, walk }: Surveying<T>,
): Promise<T | undefined> {
  const before = await readSurvey<T>(state, name);
  const now = deps.clock.now();
  const known = before && isOf(before) ? before : { begunAt: now, found: begin };
  const { found, isAll } = await follow(deps, walk(known.found), now + surveyFor);
  if (isAll) return (await endSurvey(state, name, before)) === 'Ended' ? found : undefined;
  const by = { before, found, begunAt: known.begunAt, now: deps.clock.now() };
  // Another step stored its progress first and continues.
  if ((await storeSurvey(state, name, by)) === 'Lost') return undefined;
  if (nextStep(before, known.begunAt) % roundsOfChain === 0) return undefined;
  await deps.queues.sendDue([{ stage: 'ingest', cluster: state.cluster, rows: [surveyKey(state, name)] }]);
  return undefined;
}

async function follow<T>(
  { clock }: Pick<StepDependencies, 'clock'>,
  walk: AsyncGenerator<T, T>,
  until: Instant,
): Promise<{ readonly found: T; readonly isAll: boolean }> {
  for (;;) {
    const { value: found, done } = await walk.next();
    if (done) return { found, isAll: true };
    if (clock.now() >= until) return { found, isAll: false };
  }
}
