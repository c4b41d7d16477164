// The Eviction API of a real kube-apiserver answers Sluice's evictor as the simulated cluster does.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PortsUnderTest } from '../contracts/podEvictor.contract.ts';
import { portsUnderTest } from '../support/clusterUnderTest.ts';
import { startControlPlane } from './support/controlPlane.ts';

let server: PortsUnderTest;
beforeAll(async () => {
  const controlPlane = await startControlPlane({ components: [] });
  server = portsUnderTest(controlPlane, () => controlPlane.stop());
});
afterAll(() => server.stop());

describe('the Eviction API', () => {
  it('the Eviction API evicts a running pod that no budget covers', async () => {
    const pod = await server.addPod('free');
    await server.runPod(pod);
    expect(await server.access.evictor.evict(pod)).toEqual({ kind: 'Evicted', status: 201 });
    expect(await server.findPod(pod)).toMatchObject({ uid: pod.uid, terminating: true });
  });

  it('the Eviction API refuses a running pod whose budget allows no disruption, and the pod is kept', async () => {
    const pod = await server.addPod('kept');
    await server.runPod(pod);
    await server.addBudget({ name: 'none', allowed: 0, pods: [pod] });
    expect(await server.access.evictor.evict(pod)).toMatchObject({ kind: 'Blocked' });
    expect(await server.findPod(pod)).toMatchObject({ uid: pod.uid, terminating: false });
  });

  it('a budget allows as many evictions as its status says, and blocks the next one', async () => {
    const pods = [];
    for (const name of ['one', 'two', 'three']) pods.push(await server.addPod(name));
    for (const pod of pods) await server.runPod(pod);
    await server.addBudget({ name: 'two', allowed: 2, pods });
    const answers = [];
    for (const pod of pods) answers.push((await server.access.evictor.evict(pod)).kind);
    expect(answers).toEqual(['Evicted', 'Evicted', 'Blocked']);
  });

  it('the Eviction API reports a missing pod as gone, and does not evict a new pod of its name', async () => {
    const first = await server.addPod('first');
    await server.removePod(first);
    expect(await server.access.evictor.evict(first)).toEqual({ kind: 'Gone', why: 'NotFound', status: 404 });
    const second = await server.addPod('first');
    // kube-apiserver tries the failed precondition again for longer than a client waits; the next PATCH says Replaced.
    const { kind } = await server.access.evictor.evict(first);
    expect(['Gone', 'RetryLater']).toContain(kind);
    expect(await server.findPod(second)).toMatchObject({ uid: second.uid, terminating: false });
  });
});
