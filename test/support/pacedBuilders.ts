// PacedTaintRules and devices with properties for tests of the pure core.
import type { Device } from '../../lib/model/objects.ts';
import type { EvictionPolicy } from '../../lib/model/policy.ts';
import type { PacedTaintRule, TaintRule } from '../../lib/model/rule.ts';
import { driver, pool, t0 } from './builders.ts';

export function pacedRule(overrides: Partial<PacedTaintRule> = {}): PacedTaintRule {
  return {
    kind: 'PacedTaintRule',
    name: 'paced',
    uid: 'paced-uid',
    resourceVersion: '1',
    generation: 1,
    deviceSelector: { driver },
    taints: [{ key: 'example.com/bad', effect: 'NoExecute' }],
    seen: [],
    ...overrides,
  };
}

/** One taint of a PacedTaintRule, in force since t0. */
export function taintRule(overrides: Partial<TaintRule> = {}): TaintRule {
  return {
    kind: 'PacedTaintRule',
    name: 'paced',
    uid: 'paced-uid',
    resourceVersion: '1',
    generation: 1,
    deviceSelector: { driver },
    taint: { key: 'example.com/bad', effect: 'NoExecute', timeAdded: t0 },
    ...overrides,
  };
}

export function evictionPolicy(overrides: Partial<EvictionPolicy> = {}): EvictionPolicy {
  return {
    kind: 'EvictionPolicy',
    name: 'policy',
    uid: 'policy-uid',
    resourceVersion: '1',
    generation: 1,
    taints: {},
    ...overrides,
  };
}

export const instance = { driver, pool, device: 'instance' };

/** The device `instance` with an attribute `healthy`. */
export function withHealth(healthy: boolean): Device {
  return { name: 'instance', attributes: { healthy: { bool: healthy } } };
}
