// Counts of a whole cluster that go through it for so long in one invocation, and continue in another one.
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

/** In one invocation. Well below the time that a function has. */
const surveyFor: Milliseconds = 10_000;

/** AWS Lambda stops a function that sends to its own queue after about sixteen rounds; then the sweep continues. */
const roundsOfChain = 8;

export interface Surveying<T> {
  readonly name: SurveyName;
  /** What is found before the first page. */
  readonly begin: T;
  /** Whether one that is under way is this one; else it begins again. */
  readonly isOf: (survey: Survey<T>) => boolean;
  /** What is found after each page, and where the next one begins; it returns all. */
  readonly walk: (from: T) => AsyncGenerator<T, T>;
}

const attempts = 5;

/** For a step that may end before it can continue: the sweep sends for it. One that is under way begins again, with what `of` makes of both. */
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

/** All that was found where it is at its end; `undefined` while another invocation has to continue, which is sent for. */
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
  // The step that was faster continues.
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
