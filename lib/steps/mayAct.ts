// Whether anything may be evicted in a cluster at this moment, whatever its rules say.
import type { Instant } from '../model/time.ts';
import { isWatched } from '../state/liveness.ts';
import { isPaused } from '../state/pauseRows.ts';
import type { State } from '../state/state.ts';
import { ownsAnything } from './ownedSnapshot.ts';
import type { StepDependencies } from './step.ts';

/** Sluice owns something there (what it owns now is settled by the evaluation of each pod), its watcher was heard of lately, and nobody has paused it. */
export async function mayAct(deps: Pick<StepDependencies, 'modesOf'>, state: State, now: Instant): Promise<boolean> {
  if (!ownsAnything(deps.modesOf(state.cluster))) return false;
  const [watched, paused] = await Promise.all([isWatched(state, now), isPaused(state, now)]);
  return watched && !paused;
}
