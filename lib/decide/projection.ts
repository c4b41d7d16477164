// The native rules that tell the scheduler of a PacedTaintRule, so that new pods stay away while Sluice paces the old ones.
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { deviceKey } from '../model/identity.ts';
import type { DeviceTaintSelector } from '../model/objects.ts';
import type { ProjectedRule, TaintRule } from '../model/rule.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { matchDevice, picksByState } from './deviceMatch.ts';

export type Projection =
  | { readonly kind: 'Rules'; readonly rules: readonly ProjectedRule[] }
  /** None at all is projected: half of them would be believed to be all. */
  | { readonly kind: 'TooMany'; readonly count: number; readonly maxRules: number };

/**
 * One native rule for each taint that the scheduler heeds and each selector that the native API knows. `keep`: the rule's own
 * effect is projected, because nobody else evicts for it; beside an active in-tree controller it is NoSchedule.
 */
export function projectionOf(
  taints: readonly TaintRule[],
  by: { readonly picked: PickedDevices; readonly effects: 'Keep' | 'NoSchedule'; readonly maxRules: number },
): Projection {
  const heeded = taints.filter(({ taint }) => taint.effect === 'NoSchedule' || taint.effect === 'NoExecute');
  const rules = new Map<string, ProjectedRule>();
  const unlisted =
    heeded.filter(({ deviceSelector }) => deviceSelector && picksByState(deviceSelector)).length *
    (by.picked.count - by.picked.devices.length);
  for (const rule of heeded) {
    for (const deviceSelector of nativeSelectors(rule, by.picked)) {
      const { key, value } = rule.taint;
      const effect = by.effects === 'Keep' ? rule.taint.effect : 'NoSchedule';
      const taint = { key, effect, ...(value === undefined ? {} : { value }) };
      const content = JSON.stringify([rule.uid, deviceSelector, taint]);
      const name = `${rule.name.slice(0, 236)}-${bytesToHex(sha256(utf8ToBytes(content))).slice(0, 12)}`;
      rules.set(name, { name, from: { name: rule.name, uid: rule.uid }, deviceSelector, taint });
    }
  }
  const count = rules.size + unlisted;
  if (count > by.maxRules) return { kind: 'TooMany', count, maxRules: by.maxRules };
  return { kind: 'Rules', rules: [...rules.values()] };
}

/** A selector of names is one; classes, expressions and taints become the devices that they pick now. */
function nativeSelectors(rule: TaintRule, picked: PickedDevices): readonly DeviceTaintSelector[] {
  const { deviceSelector: selector } = rule;
  if (!selector) return [];
  if (picksByState(selector)) return picked.devices;
  const { driver, pool, device } = selector;
  return [
    {
      ...(driver === undefined ? {} : { driver }),
      ...(pool === undefined ? {} : { pool }),
      ...(device === undefined ? {} : { device }),
    },
  ];
}

/** The devices that a rule picks by what they are; all taints of a rule pick the same. */
export interface PickedDevices {
  /** No more than a projection may have rules. */
  readonly devices: readonly Required<DeviceTaintSelector>[];
  readonly count: number;
}

export const nonePicked: PickedDevices = { devices: [], count: 0 };

/** With those in some more pools: published ones, and those that claims hold though nobody publishes them. */
export function pickedIn(
  before: PickedDevices,
  by: { readonly rule: TaintRule; readonly snapshot: Snapshot; readonly maxRules: number },
): PickedDevices {
  const found = new Map<string, Required<DeviceTaintSelector>>();
  const look = (device: Required<DeviceTaintSelector>) => {
    if (matchDevice(by.rule, device, by.snapshot).kind === 'Selected') found.set(deviceKey(device), device);
  };
  for (const { driver, name: pool, devices } of by.snapshot.pools.values())
    for (const device of devices.keys()) look({ driver, pool, device });
  for (const { allocation } of by.snapshot.claims.values()) {
    // Stryker disable next-line ArrayDeclaration: a text among the results is no device
    for (const { driver, pool, device } of allocation?.devices ?? []) look({ driver, pool, device });
  }
  const devices = [...before.devices, ...found.values()].slice(0, by.maxRules);
  return { devices, count: before.count + found.size };
}
