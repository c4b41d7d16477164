// What is counted as in use: rules, tainted devices whatever their effect, those that claims hold, claims that tolerate.
import { describe, expect, it } from 'vitest';
import { isTolerating, taintedDevices } from '../../lib/decide/gauges.ts';
import { type SnapshotObjects, snapshotOf } from '../../lib/model/snapshot.ts';
import { allocated, claim, result, rule, slice, taint } from '../support/builders.ts';

const snapshot = (objects: Partial<SnapshotObjects>) =>
  snapshotOf({ pods: [], claims: [], slices: [], rules: [], ...objects });

describe('gauges', () => {
  it('of an empty cluster are zero', () => {
    expect(taintedDevices(snapshot({}))).toEqual({ TaintedDevices: 0, AllocatedTaintedDevices: 0 });
  });

  it('count a device once, though its slice and two rules taint it', () => {
    const slices = [slice({ devices: [{ name: 'a', taints: [taint(), taint({ effect: 'None' })] }, { name: 'b' }] })];
    const rules = [
      rule({ name: 'x', deviceSelector: { device: 'a' } }),
      rule({ name: 'y', deviceSelector: { device: 'a' } }),
      rule({ name: 'elsewhere', deviceSelector: { device: 'nowhere' } }),
    ];
    expect(taintedDevices(snapshot({ slices, rules }))).toEqual({ TaintedDevices: 1, AllocatedTaintedDevices: 0 });
  });

  it('count devices that rules alone taint', () => {
    const slices = [slice({ devices: [{ name: 'a' }, { name: 'b' }] })];
    const rules = [rule({ deviceSelector: { device: 'a' } })];
    expect(taintedDevices(snapshot({ slices, rules })).TaintedDevices).toBe(1);
  });

  it('count a claim that tolerates with one of its devices, and none that tolerates nothing or holds nothing', () => {
    const tolerations = [{ operator: 'Exists' }];
    const { allocation: _, ...waiting } = claim({ name: 'waiting' });
    const claims = [
      waiting,
      claim({ name: 'half', ...allocated(result({ tolerations }), result({ tolerations: [] })) }),
      claim({ name: 'other-half', ...allocated(result(), result({ tolerations })) }),
      claim({ name: 'none', ...allocated(result({ tolerations: [] })) }),
      claim({ name: 'absent', ...allocated(result()) }),
    ];
    expect(claims.filter(isTolerating).map(({ name }) => name)).toEqual(['half', 'other-half']);
  });

  it('count devices that claims hold, shared ones once, and not those that are not published', () => {
    const slices = [
      slice({
        devices: [
          { name: 'a', taints: [taint()] },
          { name: 'b', taints: [taint()] },
        ],
      }),
    ];
    const claims = [
      claim({ name: 'one', ...allocated(result({ device: 'a' }), result({ device: 'gone' })) }),
      claim({ name: 'two', ...allocated(result({ device: 'a', tolerations: [{ operator: 'Exists' }] })) }),
    ];
    expect(taintedDevices(snapshot({ slices, claims }))).toEqual({ TaintedDevices: 2, AllocatedTaintedDevices: 1 });
  });
});
