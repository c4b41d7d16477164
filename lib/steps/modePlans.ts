// Before Sluice starts to evict for a source of taints: counts the pods that it would evict, over several invocations.
import { describeModePlan, type ModeTally, modePlanOf, nothingTallied, tallyMode } from '../decide/modePlan.ts';
import { hashOf } from '../mirror/ranges.ts';
import type { Source } from '../model/ownership.ts';
import type { Milliseconds } from '../model/time.ts';
import { placedPods } from '../state/clusterPages.ts';
import { beginning, type Place } from '../state/clusterWalk.ts';
import { storeModePlan } from '../state/modeRows.ts';
import type { State } from '../state/state.ts';
import type { Survey } from '../state/surveyRows.ts';
import type { StepDependencies } from './step.ts';
import { continueSurvey, requestSurvey } from './survey.ts';

/** Progress of the count, as stored. */
interface Planned {
  readonly from: Place;
  readonly tallies: readonly {
    readonly source: Source;
    readonly pods: number;
    readonly namespaces: readonly number[];
    readonly origins: readonly (readonly [string, number])[];
  }[];
}

/** An older count would include pods that are long gone; even the largest cluster takes less time. */
const oldAfter: Milliseconds = 6 * 60 * 60_000;

/** Ingest switches the modes when it reads the survey, whatever the survey counts. */
export async function requestSwitch(deps: StepDependencies, state: State): Promise<void> {
  await requestSurvey(deps, state, { name: 'modes', begin: storedOf(beginning, new Map()) });
}

/** Runs before the modes are stored, so that a readable plan exists first. `Counting`: another invocation continues the count. */
export async function showPlans(
  deps: StepDependencies,
  state: State,
  begun: readonly Source[],
): Promise<'Shown' | 'Counting'> {
  if (begun.length === 0) return 'Shown';
  const begin = storedOf(beginning, new Map(begun.map((source) => [source, nothingTallied])));
  const isOf = (survey: Survey<Planned>) => {
    const isSame = survey.found.tallies.map(({ source }) => source).join() === begun.join();
    return isSame && deps.clock.now() - survey.begunAt < oldAfter;
  };
  const planned = await continueSurvey(deps, state, {
    name: 'modes',
    begin,
    isOf,
    walk: (from) => walk(deps, state, from),
  });
  if (!planned) return 'Counting';
  for (const [source, tally] of talliesOf(planned)) {
    const plan = modePlanOf(tally, deps.clock.now());
    await storeModePlan(state, source, plan);
    deps.log.warn('switched on: this plan is carried out unless the source is switched off again', {
      cluster: state.cluster,
      source,
      plan: describeModePlan(plan),
    });
  }
  return 'Shown';
}

async function* walk(deps: StepDependencies, state: State, planned: Planned): AsyncGenerator<Planned, Planned> {
  const tallies = talliesOf(planned);
  for await (const { part: snapshot, behind } of placedPods(state, deps.settings, planned.from)) {
    for (const [source, before] of tallies) tallies.set(source, tallyMode(before, { source, snapshot, hash: hashOf }));
    if (behind) yield storedOf(behind, tallies);
  }
  return storedOf(planned.from, tallies);
}

function talliesOf({ tallies }: Planned): Map<Source, ModeTally> {
  return new Map(
    tallies.map(({ source, pods, namespaces, origins }) => [
      source,
      { pods, namespaces: new Set(namespaces), byOrigin: new Map(origins) },
    ]),
  );
}

function storedOf(from: Place, tallies: ReadonlyMap<Source, ModeTally>): Planned {
  return {
    from,
    tallies: [...tallies].map(([source, { pods, namespaces, byOrigin }]) => ({
      source,
      pods,
      namespaces: [...namespaces],
      origins: [...byOrigin],
    })),
  };
}
