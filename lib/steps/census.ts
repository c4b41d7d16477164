// Counts the pods that use devices in a cluster, for limits that are percentages; at most once a minute per process.
import { addCensus, type Census, censusOf, emptyCensus } from '../decide/census.ts';
import { remembered } from '../memory.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import { consumerPages, podPages } from '../state/clusterPages.ts';
import { currentRules } from '../state/currentRules.ts';
import type { State } from '../state/state.ts';
import type { StepDependencies } from './step.ts';

/** A count reads every pod and its claims. */
const remembersFor: Milliseconds = 60_000;

/** Minimum age of a count before it is repeated, even if it lacks what the caller needs. */
const atLeast: Milliseconds = 1000;

/** `isEnough`: whether a cached count has what the caller needs; a class that a new rule names is counted without delay. */
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
  // Do not cache a failed count.
  census.catch(() => counted.delete(state.cluster));
  return census;
}

/** Slices are read only if a rule names a device class. */
async function count(deps: StepDependencies, state: State): Promise<Census> {
  const namesClass = (await currentRules(state)).some(({ deviceSelector }) => deviceSelector?.deviceClassName);
  let census = emptyCensus;
  for await (const part of namesClass ? podPages(state, deps.settings) : consumerPages(state, deps.settings))
    census = addCensus(census, censusOf(part));
  return census;
}
