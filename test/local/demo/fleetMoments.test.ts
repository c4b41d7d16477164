// The fleet of a frame and the numbers of the table, which are read over some time: a frame shows no delete that they do not count.
import * as fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { demoManifests, populateDemo } from '../../../lib/local/demo/demo.ts';
import { type FleetMoments, followFleet, momentFor, type PodsCounted } from '../../../lib/local/demo/fleetMoments.ts';
import { type Simulation, startSimulation } from '../../../lib/local/simulation.ts';
import type { DeviceState } from '../../../lib/view/screenSnapshot.ts';

let simulation: Simulation | undefined;

afterEach(() => simulation?.stop());

function devicesIn(state: DeviceState, moments: FleetMoments, counted: PodsCounted): number {
  return moments
    .at(counted)
    .nodes.flatMap(({ devices }) => devices)
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
    const conditions = [{ type: 'DisruptionTarget', status: 'True' }];
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

  it('the fleet of a frame is the newest that agrees with the numbers, or the newest of all if none does', () => {
    const upTo = (max: number) => fc.nat({ max });
    const steps = fc.array(fc.record({ deletes: upTo(3), tainted: upTo(5) }), { minLength: 1, maxLength: 10 });
    fc.assert(
      fc.property(steps, upTo(30), upTo(10), (all, counted, more) => {
        let deleted = 0;
        const moments = all.map(({ deletes, tainted }, at) => {
          deleted += deletes;
          return { at, deleted, affected: deleted + tainted, fleet: at };
        });
        const found = momentFor(moments, { deleted: counted, affected: counted + more })?.at;
        const agreeing = moments.filter((one) => one.deleted <= counted);
        const whole = agreeing.filter((one) => one.affected <= counted + more);
        expect(found).toBe((whole.at(-1) ?? agreeing.at(-1) ?? moments.at(-1))?.at);
      }),
    );
  });
});
