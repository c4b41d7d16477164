// Limits and approvals of slice taints: held on their policy, with figures and a digest, until they are approved there.
import { describe, expect, it } from 'vitest';
import type { EvictionPolicy } from '../../lib/model/policy.ts';
import { readClusterProgress } from '../../lib/view/readModel.ts';
import { readWhy } from '../../lib/view/why.ts';
import { aSlice, nextVersion, upserted } from '../support/objects.ts';
import { evictionPolicy } from '../support/pacedBuilders.ts';
import { type PacedWorld, pacedWorld, start } from '../support/pacedWorld.ts';

const names = (count: number, from = 0) => Array.from({ length: count }, (_, i) => `p${from + i}`);
const pods = (count: number) => Object.fromEntries(names(count).map((name) => [name, {}]));
const held = 'sluice.dev/Held';

async function taint({ ingest }: PacedWorld, devices: readonly string[], key = 'example.com/ecc') {
  const taints = [{ key, effect: 'NoExecute', timeAdded: start }];
  await ingest(
    ...devices.map((name) =>
      upserted({ ...aSlice(`slice-${name}`, { devices: [{ name, taints }] }), resourceVersion: nextVersion() }),
    ),
  );
}

const conditionOf = ({ world }: PacedWorld) =>
  world.api.policyObjects.get('policy')?.conditions.find(({ type }) => type === held);

const digestsIn = (message = '') => /sluice.dev\/approve=([0-9a-f,]+)$/.exec(message)?.[1] ?? '';

async function approve(paced: PacedWorld, policy: EvictionPolicy) {
  const digests = digestsIn(conditionOf(paced)?.message);
  expect(digests).not.toBe('');
  await paced.ask({ ...policy, annotations: { 'sluice.dev/approve': digests } });
}

describe('a policy with limits', () => {
  it('a policy with limits holds a slice taint that exceeds them, says so in its status, and evicts once approved there', async () => {
    const paced = await pacedWorld(pods(25));
    const policy = evictionPolicy({ limits: { maxPods: 5 } });
    await paced.ask(policy);
    await taint(paced, names(25));
    await paced.run(70);
    expect(paced.gone().length).toBeLessThanOrEqual(5);
    const said = conditionOf(paced);
    expect(said).toMatchObject({ status: 'True', reason: 'OverLimits' });
    expect(said?.message).toMatch(
      /^example.com\/ecc:NoExecute of gpu.example.com: Over the limits of EvictionPolicy policy \(maxPods 5.*\): \d+ pods in 1 namespaces would be evicted\. To evict the pods: kubectl annotate --overwrite evictionpolicy policy sluice\.dev\/approve=[0-9a-f]{12}$/,
    );
    const waiting = names(25).find((name) => !paced.gone().includes(name));
    const why = await readWhy({ table: paced.world.table, cluster: paced.world.cluster }, `default/${waiting}`, start);
    expect(why.held.join()).toContain('EvictionPolicy policy waits for an approval of example.com/ecc:NoExecute');
    const { table, cluster } = paced.world;
    const shown = await readClusterProgress({ table, cluster }, paced.world.now());
    expect(shown.limiters.map(({ heldBecause }) => heldBecause)).toEqual([
      'EvictionPolicy policy waits for an approval of example.com/ecc:NoExecute of gpu.example.com: its condition sluice.dev/Held has the command',
    ]);
    await approve(paced, policy);
    await paced.run(20);
    expect(paced.gone()).toHaveLength(25);
    expect(conditionOf(paced)).toMatchObject({ status: 'False' });
  });

  it('a policy with limits does not hold a slice taint that keeps them', async () => {
    const paced = await pacedWorld(pods(10));
    await paced.ask(evictionPolicy({ limits: { maxPods: 5 } }));
    await taint(paced, names(5));
    await paced.run(10);
    expect(paced.gone()).toHaveLength(5);
    expect(conditionOf(paced)).toBeUndefined();
  });

  it('a policy with limits counts evicted pods of a slice taint too', async () => {
    const paced = await pacedWorld(pods(10));
    await paced.ask(evictionPolicy({ limits: { maxPods: 5 } }));
    await taint(paced, names(5));
    await paced.run(10);
    await taint(paced, names(3, 5));
    await paced.run(20);
    expect(paced.gone()).toHaveLength(5);
    expect(conditionOf(paced)).toMatchObject({ status: 'True', reason: 'OverLimits' });
    expect(conditionOf(paced)?.message).toContain('(maxPods 5, 5 pods evicted)');
  });

  it('a policy with limits restarts its count after an hour without listed pods', async () => {
    const paced = await pacedWorld(pods(10));
    await paced.ask(evictionPolicy({ limits: { maxPods: 5 } }));
    await taint(paced, names(5));
    await paced.run(4000);
    await taint(paced, names(5, 5));
    await paced.run(10);
    expect(paced.gone()).toHaveLength(10);
  });

  it('the maxPercent of a slice taint is a share of the pods that use the driver', async () => {
    const paced = await pacedWorld(pods(20));
    await paced.ask(evictionPolicy({ limits: { maxPercent: 10 } }));
    await taint(paced, names(12));
    await paced.run(30);
    expect(paced.gone().length).toBeLessThanOrEqual(2);
    expect(conditionOf(paced)?.message).toContain('maxPercent 10: 2 of 20 pods that use driver gpu.example.com');
  });

  it('a policy with limits says that a slice taint has outgrown its approval', async () => {
    const paced = await pacedWorld(pods(20));
    const policy = evictionPolicy({ limits: { maxPods: 1 }, evictionsPerSecond: 0 });
    await paced.ask(policy);
    await taint(paced, names(10));
    await paced.run(15);
    await approve(paced, policy);
    await paced.run(15);
    expect(conditionOf(paced)).toMatchObject({ status: 'False' });
    await taint(paced, names(5, 10));
    await paced.run(15);
    expect(conditionOf(paced)).toMatchObject({ status: 'True', reason: 'PlanGrew' });
    expect(conditionOf(paced)?.message).toContain('Approved were 10 pods, 15 match now.');
  });
});

describe('a policy that requires approval', () => {
  it('a policy that requires approval holds each slice taint until its digest is approved, and keeps earlier approvals', async () => {
    const paced = await pacedWorld(pods(6));
    const policy = evictionPolicy({ approval: 'Required' });
    await paced.ask(policy);
    await taint(paced, names(3));
    await paced.run(30);
    expect(paced.gone()).toEqual([]);
    expect(conditionOf(paced)).toMatchObject({ status: 'True', reason: 'AwaitingApproval' });
    const first = digestsIn(conditionOf(paced)?.message);
    await approve(paced, policy);
    await taint(paced, names(3, 3), 'example.com/hot');
    await paced.run(30);
    expect(paced.gone()).toEqual(['p0', 'p1', 'p2']);
    expect(digestsIn(conditionOf(paced)?.message).split(',')).toHaveLength(1 + 1);
    expect(digestsIn(conditionOf(paced)?.message)).toContain(first);
    await approve(paced, policy);
    await paced.run(20);
    expect(paced.gone()).toHaveLength(6);
  });
});
