// The order in which pending pods get their tokens, through the whole path: by priority and age, or by due time.
import { describe, expect, it } from 'vitest';
import type { EvictionPolicy } from '../../lib/model/policy.ts';
import { aPacedRule, aPod, upserted } from '../support/objects.ts';
import { evictionPolicy } from '../support/pacedBuilders.ts';
import { pacedWorld, start } from '../support/pacedWorld.ts';

const slow: Partial<EvictionPolicy> = { evictionsPerSecond: 1, burst: 1 };

async function played(policy: EvictionPolicy) {
  const paced = await pacedWorld({ important: {}, old: {}, young: {}, cheap: {} });
  const pod = (name: string, priority: number, creationTimestamp: number) =>
    upserted(aPod(name, { priority, creationTimestamp }));
  await paced.ingest(
    pod('important', 1000, start - 5000),
    pod('old', 0, start - 5000),
    pod('young', 0, start - 1000),
    pod('cheap', -10, start - 9000),
  );
  await paced.ask(policy);
  return paced;
}

describe('the order of pending pods', () => {
  it.each<[string, EvictionPolicy['order']]>([
    ['by default', undefined],
    ['PriorityThenAge', 'PriorityThenAge'],
  ])('pending pods are evicted by lower priority first, then the younger: %s', async (_, order) => {
    const { world, write, run } = await played(evictionPolicy({ ...slow, ...(order ? { order } : {}) }));
    await write(aPacedRule('r'));
    await run(20);
    expect(world.api.deletes.map(({ pod }) => pod.name)).toEqual(['cheap', 'young', 'old', 'important']);
  });

  it('DueTime evicts the pod that has been due for longest, although its priority is the highest', async () => {
    const { world, ingest, ask, write, run } = await played(
      evictionPolicy({ order: 'DueTime', evictionsPerSecond: 0 }),
    );
    const waits = (minutes: string) => ({
      labels: { 'sluice.dev/eviction-mode': 'WaitForCompletion', 'sluice.dev/eviction-deadline': minutes },
    });
    await ingest(
      upserted(aPod('cheap', { priority: -10, ...waits('2m') })),
      upserted(aPod('young', { priority: 0, ...waits('1m') })),
      upserted(aPod('old', { priority: 0, ...waits('30s') })),
    );
    await write(aPacedRule('r'));
    await run(200);
    await ask(evictionPolicy({ ...slow, order: 'DueTime' }));
    await run(20);
    expect(world.api.deletes.map(({ pod }) => pod.name)).toEqual(['important', 'old', 'young', 'cheap']);
  });

  it('the order may change while pods are pending', async () => {
    const { world, ask, ingest, write, run } = await played(
      evictionPolicy({ order: 'DueTime', evictionsPerSecond: 0 }),
    );
    await ingest(
      upserted(
        aPod('cheap', {
          priority: -10,
          labels: { 'sluice.dev/eviction-mode': 'WaitForCompletion', 'sluice.dev/eviction-deadline': '1m' },
        }),
      ),
    );
    await write(aPacedRule('r'));
    await run(100);
    await ask(evictionPolicy(slow));
    await run(20);
    expect(world.api.deletes.map(({ pod }) => pod.name)[0]).toBe('cheap');
    expect(world.api.deletes).toHaveLength(4);
  });
});
