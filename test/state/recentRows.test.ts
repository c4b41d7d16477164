// The newest evictions that a reader wants, among many that it does not want.
import { expect, it } from 'vitest';
import { evictionsOfTable } from '../../lib/commands/get/evictions.ts';
import { readRecentWhere, recentWrite } from '../../lib/state/recentRows.ts';
import { createInMemoryTable } from '../support/fakes/table.ts';

const now = 1_800_000_000_000;

/** `pods` of each namespace were evicted `ago` milliseconds before now, one a millisecond. */
async function evicted(of: readonly { readonly namespace: string; readonly pods: number; readonly ago: number }[]) {
  const state = { table: createInMemoryTable(), cluster: 'prod@i' } as const;
  for (const { namespace, pods, ago } of of)
    for (let i = 0; i < pods; i++) {
      const pod = { namespace, name: `pod-${i}`, uid: `${namespace}-${i}` };
      const ledger = { because: [] };
      await state.table.write(recentWrite(state, pod, { ledger, outcome: 'Evicted', now: now - ago + i, days: 1 }));
    }
  return state;
}

const few = { namespace: 'team-a', pods: 20, ago: 3_600_000 };

it('get evictions of a namespace finds those behind many newer ones of other namespaces, newest first', async () => {
  const state = await evicted([few, { namespace: 'team-b', pods: 600, ago: 60_000 }]);
  const problems: string[] = [];
  const by = { now, namespace: 'team-a', limit: 5, notRead: (problem: string) => problems.push(problem) };
  const { items } = await evictionsOfTable(state, by);
  expect(items.map(({ name }) => name)).toEqual(['pod-19', 'pod-18', 'pod-17', 'pod-16', 'pod-15']);
  expect(problems).toEqual([]);
});

it('evictions on several pages are read until enough are wanted, each once', async () => {
  const state = await evicted([few, { namespace: 'team-b', pods: 9000, ago: 60_000 }]);
  const isWanted = ({ pod }: { readonly pod: { readonly namespace: string } }) => pod.namespace === 'team-a';
  const by = { since: now - 7_200_000, limit: 100, isWanted };
  const all = await readRecentWhere(state, { ...by, pagesAtMost: 100 });
  expect(all.evictions.map(({ pod }) => pod.name)).toEqual(Array.from({ length: 20 }, (_, i) => `pod-${19 - i}`));
  expect(all.readSince).toBe(by.since);
  const some = await readRecentWhere(state, { ...by, pagesAtMost: 1 });
  expect(some.evictions).toEqual([]);
  expect(some.readSince).toBeGreaterThan(now - 60_000);
});

it('get evictions says which were not read when there are too many of other namespaces', async () => {
  const state = await evicted([few, { namespace: 'team-b', pods: 9000, ago: 60_000 }]);
  const reads = state.table.query.bind(state.table);
  const sees = {
    ...state,
    table: { ...state.table, query: (by: Parameters<typeof reads>[0]) => reads({ ...by, limit: 1 }) },
  };
  const problems: string[] = [];
  await evictionsOfTable(sees, { now, namespace: 'team-a', limit: 5, notRead: (problem) => problems.push(problem) });
  expect(problems).toEqual([expect.stringMatching(/^evictions before 2027-01-15T\S+: there are too many since then$/)]);
});
