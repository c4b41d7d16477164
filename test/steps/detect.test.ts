// Workload claims follow what the API server serves, cluster by cluster (KEP-5729).
import { describe, expect, it } from 'vitest';
import type { Heartbeat } from '../../lib/model/change.ts';
import type { InstallationSettings } from '../../lib/model/snapshot.ts';
import { aClaim, aHeartbeat, aPod, aRule, upserted } from '../support/objects.ts';
import { createWorld, type World } from '../support/world.ts';

const start = 1_800_000_000_000;
const group = { apiGroup: 'scheduling.k8s.io', resource: 'podgroups', name: 'group', uid: 'uid-group' };

async function tainted(workloadClaims: InstallationSettings['workloadClaims']): Promise<World> {
  const world = createWorld({ start, settings: { workloadClaims } });
  world.api.pods.set('default/a', { uid: 'uid-a', terminating: false, marked: false });
  const rule = aRule('bad', start);
  world.api.rules.set('bad', { rule, conditions: [] });
  const claim = aClaim('a', 'gpu-0', { reservedFor: [group] });
  const body = [aHeartbeat(start), upserted(claim), upserted(aPod('a', { podGroupName: 'group' })), upserted(rule)];
  await world.deliver({ stage: 'ingest', at: start, body });
  await world.runUntil(start + 5000);
  return world;
}

async function hear(world: World, watched: Heartbeat['watched']): Promise<void> {
  const at = world.now();
  await world.deliver({ stage: 'ingest', at, body: [{ ...aHeartbeat(at), watched }] });
  await world.runUntil(at + 5000);
}

describe('a claim that is reserved for a PodGroup', () => {
  it('a claim reserved for a PodGroup counts as soon as PodGroups are served', async () => {
    const world = await tainted('detect');
    expect(world.api.deletes).toEqual([]);
    await hear(world, { Pod: 'v1' });
    expect(world.api.deletes).toEqual([]);
    await hear(world, { Pod: 'v1', PodGroup: 'v1beta1' });
    expect(world.api.deletes.map(({ pod }) => pod.name)).toEqual(['a']);
  });

  it.each([
    [true, ['a']],
    [false, []],
  ])('a claim reserved for a PodGroup follows workloadClaims %s, whatever is served', async (workloadClaims, names) => {
    const world = await tainted(workloadClaims);
    await hear(world, workloadClaims ? { Pod: 'v1' } : { Pod: 'v1', PodGroup: 'v1beta1' });
    expect(world.api.deletes.map(({ pod }) => pod.name)).toEqual(names);
  });
});
