// The fleet of a frame and the numbers of the table, which are read over some time: a frame shows no delete that they do not count.
import * as fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { demoManifests, populateDemo } from '../../../lib/local/demo/demo.ts';
import { type FleetMoments, followFleet, momentFor } from '../../../lib/local/demo/fleetMoments.ts';
import { type Simulation, startSimulation } from '../../../lib/local/simulation.ts';

let simulation: Simulation | undefined;

afterEach(() => simulation?.stop());

function terminating(moments: FleetMoments, counted: number): number {
  return moments
    .at(counted)
    .nodes.flatMap(({ devices }) => devices)
    .filter((state) => state === 'Evicting').length;
}

describe('the fleet of a frame', () => {
  it('the fleet of a frame shows no more terminating pods than the numbers count as being deleted', async () => {
    simulation = await startSimulation({ manifests: demoManifests });
    const { cluster } = simulation;
    const workloads = populateDemo(simulation);
    workloads.stop();
    const moments = followFleet(cluster, { now: Date.now, sleep: async () => undefined });
    expect(terminating(moments, 0)).toBe(0);
    const resource = cluster.resource('pods');
    const conditions = [{ type: 'DisruptionTarget', status: 'True' }];
    for (const pod of cluster.store.list(resource).slice(0, 3)) {
      const marked = cluster.store.put(resource, { ...pod, status: { conditions } });
      const deletionTimestamp = '2026-11-24T00:00:00Z';
      cluster.store.put(resource, { ...marked, metadata: { ...marked.metadata, deletionTimestamp } });
    }
    expect([0, 1, 2, 3, 4].map((counted) => terminating(moments, counted))).toEqual([0, 1, 2, 3, 3]);
    moments.stop();
  });

  it('the fleet of a frame is the newest that agrees with the numbers, or the newest of all if none does', () => {
    const deletes = fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 10 });
    fc.assert(
      fc.property(deletes, fc.nat({ max: 30 }), (steps, counted) => {
        let deleted = 0;
        const moments = steps.map((step, at) => {
          deleted += step;
          return { at, deleted, fleet: at };
        });
        const found = momentFor(moments, counted)?.at ?? -1;
        const agreeing = moments.filter((one) => one.deleted <= counted);
        expect(found).toBe((agreeing.at(-1) ?? moments.at(-1))?.at);
      }),
    );
  });
});
