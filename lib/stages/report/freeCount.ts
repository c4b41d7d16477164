// Counts the free devices of a cluster, page by page; all plans of a process share the result.
import { addFree, countFree, type FreeInCluster, nothingFree } from '../../decide/freeDevices.ts';
import { sharedRead } from '../../memory.ts';
import type { Milliseconds } from '../../model/time.ts';
import { currentRuleSet } from '../../state/currentRules.ts';
import { poolPages } from '../../state/poolPages.ts';
import type { State } from '../../state/state.ts';
import type { StepDependencies } from '../../steps/step.ts';

/** A count reads every slice and every allocation. */
const remembersFor: Milliseconds = 10_000;

export async function recentlyFree(deps: StepDependencies, state: State): Promise<FreeInCluster> {
  const { rules, version } = await currentRuleSet(state);
  const by = {
    kind: 'free devices',
    key: `${state.cluster}|${version}`,
    now: deps.clock.now(),
    maxAge: remembersFor,
  };
  const asking = rules.filter(({ taint }) => taint.effect === 'None');
  const count = async () => {
    let free = nothingFree;
    for await (const part of poolPages(state, deps.settings)) free = addFree(free, countFree(part, { asking }));
    return free;
  };
  return (await sharedRead(deps.memory, by, count)).value;
}
