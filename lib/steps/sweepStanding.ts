// Where policies ask how long taints have stood: what a handler that died between a slice and its note left out is noted now.
import { asksForAge } from '../decide/delay.ts';
import { changedPools } from '../decide/standing.ts';
import type { DeviceTaintSelector } from '../model/objects.ts';
import { policyRef } from '../model/policy.ts';
import { livePolicies, type StoredRules } from '../state/ruleSetRows.ts';
import { readAllPools } from '../state/sliceRows.ts';
import { noteStanding, readAllStanding } from '../state/standingRows.ts';
import type { State } from '../state/state.ts';
import { fanOutTo } from './fanOut.ts';
import { observe } from './observe.ts';
import type { StepDependencies } from './step.ts';

/** A pod that waits for a taint to be seen waits no longer than a sweep. */
export async function sweepStanding(deps: StepDependencies, state: State, rules: StoredRules): Promise<void> {
  if (!livePolicies(rules).some(asksForAge)) return;
  const [slices, standing] = await Promise.all([readAllPools(state), readAllStanding(state)]);
  for (const pool of changedPools(slices, standing, deps.clock.now())) {
    const moved = await noteStanding(state, pool, deps.clock.now());
    const selectors = moved.map((key) => {
      const [driver = '', name = '', device = ''] = key.split('|');
      return { driver, pool: name, device };
    });
    if (selectors.length > 0) await queueAll(deps, state, selectors);
  }
  const { isReleased } = await observe(state, 'Always');
  if (isReleased) await queueAll(deps, state, [{}]);
  const watching = livePolicies(rules).filter(({ observer }) => observer);
  await deps.queues.sendReport(watching.map(({ name }) => ({ cluster: state.cluster, rule: policyRef(name) })));
}

/** Everybody on the selected devices is evaluated again; what is lost of it is found by the next sweep. */
async function queueAll(
  deps: StepDependencies,
  state: State,
  selectors: readonly DeviceTaintSelector[],
): Promise<void> {
  await fanOutTo(deps, state, { cause: 'taints#', epoch: String(deps.clock.now()), reaches: selectors });
  deps.metrics.add('SweepRepaired', 1, state.cluster);
}
