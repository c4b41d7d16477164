// Fleets: every pod runs on a device that exists, claims are reserved for their pods, and the same options give the same fleet.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startCluster } from '../../lib/local/cluster/cluster.ts';
import { describeFleet, type Fleet, type FleetOptions, populate } from '../../lib/local/cluster/fleet.ts';
import { at, isMap, type JsonMap, listAt, textAt } from '../../lib/local/cluster/object.ts';

const options: fc.Arbitrary<FleetOptions> = fc
  .record({
    nodes: fc.integer({ min: 1, max: 12 }),
    devicesPerNode: fc.integer({ min: 1, max: 8 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    sharedEvery: fc.integer({ min: 0, max: 5 }),
    tolerantEvery: fc.integer({ min: 0, max: 5 }),
  })
  .map(({ share, ...rest }) => ({ ...rest, pods: Math.floor(rest.nodes * rest.devicesPerNode * share) }));

const ofKind = (fleet: Fleet, kind: string) => fleet.manifests.filter((manifest) => manifest.kind === kind);
const nameOf = (object: JsonMap) => textAt(object, 'metadata', 'name') ?? '';
const deviceOf = (claim: JsonMap) => {
  const result = listAt(claim, 'status', 'allocation', 'devices', 'results')[0];
  return ['driver', 'pool', 'device'].map((field) => textAt(result, field)).join('|');
};

describe('a fleet', () => {
  it('a fleet has as many pods as asked for, each on a device of its own or with a shared claim', () => {
    fc.assert(
      fc.property(options, (given) => {
        const fleet = describeFleet(given);
        expect(fleet.pods).toHaveLength(given.pods);
        const published = ofKind(fleet, 'ResourceSlice').flatMap((slice) =>
          listAt(slice, 'spec', 'devices').map((device) =>
            [textAt(slice, 'spec', 'driver'), textAt(slice, 'spec', 'pool', 'name'), textAt(device, 'name')].join('|'),
          ),
        );
        const allocated = ofKind(fleet, 'ResourceClaim').map(deviceOf);
        expect(published).toHaveLength(fleet.devices);
        expect(published).toEqual(expect.arrayContaining(allocated));
        expect(new Set(allocated).size).toBe(allocated.length);
      }),
      { numRuns: 50 },
    );
  });

  it('a fleet reserves each claim for exactly the pods that use it', () => {
    fc.assert(
      fc.property(options, (given) => {
        const fleet = describeFleet(given);
        for (const claim of ofKind(fleet, 'ResourceClaim')) {
          const users = fleet.pods.filter(
            (pod) => pod.claim === nameOf(claim) && pod.namespace === textAt(claim, 'metadata', 'namespace'),
          );
          const reservedFor = listAt(claim, 'status', 'reservedFor').map((entry) => textAt(entry, 'uid'));
          expect(reservedFor).toEqual(users.map((pod) => pod.uid));
          const owned = listAt(claim, 'metadata', 'ownerReferences').length > 0;
          expect(owned).toBe(users.length === 1 && nameOf(claim) === `${users[0]?.name}-device`);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('a fleet copies tolerations into the allocation result, where evictions read them', () => {
    const fleet = describeFleet({ nodes: 4, devicesPerNode: 8, pods: 30, tolerantEvery: 3 });
    const tolerating = ofKind(fleet, 'ResourceClaim').filter((claim) => {
      const result = listAt(claim, 'status', 'allocation', 'devices', 'results')[0];
      return listAt(result, 'tolerations').length > 0;
    });
    const names = new Set(fleet.pods.filter((pod) => pod.tolerant).map((pod) => pod.claim));
    expect(names.size).toBeGreaterThan(0);
    expect(new Set(tolerating.map(nameOf))).toEqual(names);
  });

  it('a fleet is the same for the same options', () => {
    const given = { nodes: 5, devicesPerNode: 4, pods: 12 };
    expect(describeFleet(given)).toEqual(describeFleet(given));
  });

  it('a fleet that needs more devices than there are is refused', () => {
    expect(() => describeFleet({ nodes: 1, devicesPerNode: 1, pods: 3, sharedEvery: 0 })).toThrow(
      'need more than 1 devices',
    );
  });

  it('a fleet is stored as running pods with the UIDs of its description', async () => {
    const cluster = await startCluster();
    const fleet = describeFleet({ nodes: 6, devicesPerNode: 4, pods: 20 });
    populate(fleet, cluster.seed);
    const stored = cluster.store.list(cluster.resource('pods'));
    await cluster.close();
    expect(new Set(stored.map((pod) => pod.metadata.uid))).toEqual(new Set(fleet.pods.map((pod) => pod.uid)));
    for (const pod of stored) {
      expect(at(pod, 'status', 'phase')).toBe('Running');
      expect(listAt(pod, 'status', 'conditions').filter(isMap)).toContainEqual({ type: 'Ready', status: 'True' });
    }
  });
});
