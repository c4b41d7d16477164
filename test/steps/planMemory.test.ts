// A plan is counted and offered without holding its pods in memory, however many pods and taints there are.
import { expect, it } from 'vitest';
import { taintRulesOf } from '../../lib/decide/ruleTaints.ts';
import { createMemory } from '../../lib/memory.ts';
import { ruleLimiter } from '../../lib/model/rule.ts';
import { countPlan } from '../../lib/stages/report/countPlan.ts';
import { countListed } from '../../lib/state/listedCounts.ts';
import { offerPlan } from '../../lib/steps/approval.ts';
import { offerSlices } from '../../lib/steps/sliceApproval.ts';
import type { ClusterAccess } from '../../lib/steps/step.ts';
import { createHeapWatch } from '../support/heap.ts';
import { withMadeLists } from '../support/madeLists.ts';
import { evictionPolicy, pacedRule } from '../support/pacedBuilders.ts';
import { createWorld } from '../support/world.ts';

const start = 1_800_000_000_000;
const taints = ['a', 'b'].map((key) => ({ key: `example.com/${key}`, effect: 'NoExecute', timeAdded: start }) as const);
const rule = pacedRule({ deviceSelector: { all: true }, taints });
const slice = 'slice|gpu.example.com|example.com/ecc||NoExecute';

/** The peak heap while so many pods are counted, and the result. */
async function held(pods: number, count: (on: On) => Promise<unknown>) {
  const watch = createHeapWatch();
  const look = (before: number) => {
    if (before % 4000 === 0) watch.look();
  };
  const world = createWorld({ start, settings: { holdEmptySelector: true } });
  const { cluster } = world;
  const limiters = [...taintRulesOf(rule).map(ruleLimiter), slice];
  const table = withMadeLists(world.table, { cluster, limiters, pods, look });
  await table.write({ kind: 'Put', row: { pk: `${cluster}#LIMITERS`, sk: slice } });
  const deps = { ...world.deps, table, memory: createMemory() };
  const said = await count({ access: world.api, deps, state: { table, cluster, memory: deps.memory } });
  return { said, peak: watch.peak };
}

interface On {
  readonly access: ClusterAccess;
  readonly deps: ReturnType<typeof createWorld>['deps'];
  readonly state: Parameters<typeof offerPlan>[1];
}

const taintsOfRule = taintRulesOf(rule);

it.each<[string, (on: On) => Promise<unknown>, (pods: number) => unknown]>([
  [
    'offered for a rule with two taints',
    ({ deps, state }) => offerPlan(deps, state, { rule, taints: taintsOfRule }),
    (pods) => ({ message: expect.stringContaining(`: ${pods} pods in 1 namespaces would be evicted.`) }),
  ],
  [
    'offered for a taint in slices',
    ({ deps, state }) => {
      const policy = evictionPolicy({ approval: 'Required' });
      return offerSlices(deps, state, { policy, ruleSet: { rules: [], policies: [policy] } });
    },
    (pods) => ({ held: [{ matched: { waiting: pods } }] }),
  ],
  [
    'counted for a condition',
    ({ state }) => countListed(state, taintsOfRule.map(ruleLimiter)),
    (pods) => ({ pods, namespaces: 1 }),
  ],
  [
    'counted for its page',
    ({ deps, state, access }) => countPlan(deps, state, { taints: taintsOfRule, access, now: start }),
    () => ({ pods: 0 }),
  ],
])('a plan that is %s holds no more memory for 40,000 pods than for 8,000', async (_, count, said) => {
  // The memory of the code itself is allocated in the first run.
  await held(8000, count);
  const [small, large] = [await held(8000, count), await held(40_000, count)];
  expect(small.said).toMatchObject(said(8000) as object);
  expect(large.said).toMatchObject(said(40_000) as object);
  expect(large.peak - small.peak).toBeLessThan(1_000_000);
});
