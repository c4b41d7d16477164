// Where policies ask how long taints have stood: what a handler that died between a slice and its note left out is noted now.
import { asksForAge } from '../decide/delay.ts';
import { changedPools } from '../decide/standing.ts';
import { policyRef } from '../model/policy.ts';
import { readAllPools } from '../state/clusterSnapshot.ts';
import { policyRowKey } from '../state/keys.ts';
import { livePolicies, movesPods, type StoredRules } from '../state/ruleSetRows.ts';
import { noteStanding, readAllStanding } from '../state/standingRows.ts';
import { clearDirty, type State } from '../state/state.ts';
import { observe } from './observe.ts';
import { queueAll } from './refanOut.ts';
import type { StepDependencies } from './step.ts';

/** A pod that waits for a taint to be seen waits no longer than a sweep. */
export async function sweepStanding(deps: StepDependencies, state: State, rules: StoredRules): Promise<void> {
  for (const row of rules.policies.filter((one) => one.dirty && movesPods(one, rules))) {
    await queueAll(deps, state, [{}]);
    await clearDirty(state, policyRowKey(state.cluster, row.key), row);
  }
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
