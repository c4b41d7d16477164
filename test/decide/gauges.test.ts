// Gauges: tainted devices of any effect, those of them that are allocated, and claims with tolerations.
import { describe, expect, it } from 'vitest';
import { isTolerating, taintedDevices } from '../../lib/decide/gauges.ts';
import { type SnapshotObjects, snapshotOf } from '../../lib/model/snapshot.ts';
import { allocated, claim, result, rule, slice, taint } from '../support/builders.ts';

const snapshot = (objects: Partial<SnapshotObjects>) =>
  snapshotOf({ pods: [], claims: [], slices: [], rules: [], ...objects });

describe('gauges', () => {
  it('the gauges of an empty cluster are zero', () => {
    expect(taintedDevices(snapshot({}))).toEqual({ TaintedDevices: 0, AllocatedTaintedDevices: 0 });
  });

  it('the gauges count a device once although its slice and two rules taint it', () => {
    const slices = [slice({ devices: [{ name: 'a', taints: [taint(), taint({ effect: 'None' })] }, { name: 'b' }] })];
    const rules = [
      rule({ name: 'x', deviceSelector: { device: 'a' } }),
      rule({ name: 'y', deviceSelector: { device: 'a' } }),
      rule({ name: 'elsewhere', deviceSelector: { device: 'nowhere' } }),
    ];
    expect(taintedDevices(snapshot({ slices, rules }))).toEqual({ TaintedDevices: 1, AllocatedTaintedDevices: 0 });
  });

  it('the gauges count devices that only a rule taints', () => {
    const slices = [slice({ devices: [{ name: 'a' }, { name: 'b' }] })];
    const rules = [rule({ deviceSelector: { device: 'a' } })];
    expect(taintedDevices(snapshot({ slices, rules })).TaintedDevices).toBe(1);
  });

  it('a claim counts as tolerating when at least one of its allocated devices has a toleration', () => {
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

  it('the gauges count an allocated device once when claims share it, and no unpublished device', () => {
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
