// Whether anything may be evicted in a cluster at this moment, whatever its rules say.
import type { Instant } from '../model/time.ts';
import { isWatched } from '../state/liveness.ts';
import { isPaused } from '../state/pauseRows.ts';
import type { State } from '../state/state.ts';
import type { StepDependencies } from './step.ts';

/** Sluice is not switched off there (what it owns was settled when a pod was listed), its watcher was heard of lately, and nobody has paused it. */
export async function mayAct(deps: Pick<StepDependencies, 'modeOf'>, state: State, now: Instant): Promise<boolean> {
  if (deps.modeOf(state.cluster) === 'off') return false;
  const [watched, paused] = await Promise.all([isWatched(state, now), isPaused(state, now)]);
  return watched && !paused;
}
