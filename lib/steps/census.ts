// Who uses devices in a cluster, counted at most once a minute by a process that has to know percentages.
import { addCensus, type Census, censusOf, emptyCensus } from '../decide/census.ts';
import { remembered } from '../memory.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import { consumerPages, podPages } from '../state/clusterPages.ts';
import { currentRules } from '../state/currentRules.ts';
import type { State } from '../state/state.ts';
import type { StepDependencies } from './step.ts';

/** It reads every pod and its claims. */
const remembersFor: Milliseconds = 60_000;

/** Even for those who miss something. */
const atLeast: Milliseconds = 1000;

/** `isEnough`: whether it counts what the caller asks for; a class that a new rule names is counted at once. */
export async function recentCensus(
  deps: StepDependencies,
  state: State,
  isEnough: (census: Census) => boolean = () => true,
): Promise<Census> {
  const now = deps.clock.now();
  const counted = remembered<{ readonly at: Instant; readonly census: Promise<Census> }>(deps.memory, 'census');
  const kept = counted.get(state.cluster);
  const age = kept ? now - kept.at : Number.NaN;
  if (kept && age >= 0 && age < remembersFor && (age < atLeast || isEnough(await kept.census))) return kept.census;
  const census = count(deps, state);
  counted.set(state.cluster, { at: now, census });
  // A count that failed is not kept.
  census.catch(() => counted.delete(state.cluster));
  return census;
}

/** What devices are is only read where a rule names a class. */
async function count(deps: StepDependencies, state: State): Promise<Census> {
  const namesClass = (await currentRules(state)).some(({ deviceSelector }) => deviceSelector?.deviceClassName);
  let census = emptyCensus;
  for await (const part of namesClass ? podPages(state, deps.settings) : consumerPages(state, deps.settings))
    census = addCensus(census, censusOf(part));
  return census;
}
