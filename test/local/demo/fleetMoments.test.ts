// The fleet of a frame and the numbers of the table, which are read over some time: a frame shows no delete that they do not count.
import * as fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { dueCondition } from '../../../lib/contract.ts';
import { demoManifests, populateDemo } from '../../../lib/local/demo/demo.ts';
import { type FleetMoments, followFleet, momentFor, type PodsCounted } from '../../../lib/local/demo/fleetMoments.ts';
import { createOperator } from '../../../lib/local/demo/operator.ts';
import { type Simulation, startSimulation } from '../../../lib/local/simulation.ts';
import type { DeviceState } from '../../../lib/view/screenSnapshot.ts';

let simulation: Simulation | undefined;

afterEach(() => simulation?.stop());

function devicesIn(state: DeviceState, moments: FleetMoments, counted: PodsCounted): number {
  return moments
    .at(counted)
    .fleet.nodes.flatMap(({ devices }) => devices)
    .filter((one) => one === state).length;
}

const rule = {
  apiVersion: 'resource.k8s.io/v1',
  kind: 'DeviceTaintRule',
  metadata: { name: 'bad' },
  spec: { deviceSelector: { driver: 'tpu.example.com' }, taint: { key: 'example.com/bad', effect: 'NoExecute' } },
};

describe('the fleet of a frame', () => {
  it('the fleet of a frame shows no more terminating pods than the numbers count as being deleted', async () => {
    simulation = await startSimulation({ manifests: demoManifests });
    const { cluster } = simulation;
    const workloads = populateDemo(simulation);
    workloads.stop();
    const moments = followFleet(cluster, { now: Date.now, sleep: async () => undefined });
    const terminating = (deleted: number) => devicesIn('Evicting', moments, { deleted, affected: deleted });
    expect(terminating(0)).toBe(0);
    const resource = cluster.resource('pods');
    const conditions = ['DisruptionTarget', dueCondition].map((type) => ({ type, status: 'True' }));
    for (const pod of cluster.store.list(resource).slice(0, 3)) {
      const marked = cluster.store.put(resource, { ...pod, status: { conditions } });
      const deletionTimestamp = '2026-11-24T00:00:00Z';
      cluster.store.put(resource, { ...marked, metadata: { ...marked.metadata, deletionTimestamp } });
    }
    expect([0, 1, 2, 3, 4].map(terminating)).toEqual([0, 1, 2, 3, 3]);
    moments.stop();
  });

  it('the fleet of a frame shows a taint on used devices once the numbers count their pods', async () => {
    simulation = await startSimulation({ manifests: demoManifests });
    const { cluster } = simulation;
    populateDemo(simulation).stop();
    let now = 0;
    const moments = followFleet(cluster, { now: () => now, sleep: async () => undefined });
    const tainted = (affected: number) => devicesIn('ToEvict', moments, { deleted: 0, affected });
    expect(tainted(0)).toBe(0);
    cluster.seed(rule);
    expect(tainted(0)).toBe(0);
    const used = tainted(320);
    expect(used).toBeGreaterThan(10);
    expect(tainted(used)).toBe(used);
    now = 5001;
    expect(tainted(0)).toBe(used);
    moments.stop();
  });

  it('the fleet of a frame is the newest that agrees with the numbers exactly, then the newest that has no more than they, then the newest', () => {
    const upTo = (max: number) => fc.nat({ max });
    const steps = fc.array(fc.record({ deletes: upTo(3), tainted: upTo(5) }), { minLength: 1, maxLength: 10 });
    fc.assert(
      fc.property(steps, upTo(30), upTo(10), upTo(2), (all, counted, more, deleting) => {
        let deleted = 0;
        const moments = all.map(({ deletes, tainted }, at) => {
          deleted += deletes;
          return { at, deleted, affected: deleted + tainted, fleet: at };
        });
        const found = momentFor(moments, { deleted: counted, affected: counted + more, deleting });
        const agreeing = moments.filter((one) => one.deleted <= counted);
        const whole = agreeing.filter((one) => one.affected <= counted + more);
        const exact = (agreeing.length > 0 ? agreeing : moments).filter(({ deleted: gone, affected }) => {
          const tainted = affected - gone;
          return more <= tainted && tainted <= more + deleting;
        });
        expect(found?.agrees).toBe(exact.length > 0);
        expect(found?.moment).toBe(exact.at(-1) ?? whole.at(-1) ?? agreeing.at(-1) ?? moments.at(-1));
      }),
    );
  });

  it('pods that someone else evicts through the Eviction API do not count as deletes of Sluice', async () => {
    simulation = await startSimulation({ manifests: demoManifests });
    const { cluster } = simulation;
    populateDemo(simulation).stop();
    const moments = followFleet(cluster, { now: Date.now, sleep: async () => undefined });
    const operator = createOperator(cluster);
    for (const pod of cluster.store.list(cluster.resource('pods')).slice(0, 2)) await operator.evictPod(pod);
    operator.close();
    const none = { deleted: 0, affected: 0 };
    expect(devicesIn('Evicting', moments, none)).toBe(2);
    expect(moments.at(none).agrees).toBe(true);
    moments.stop();
  });
});
