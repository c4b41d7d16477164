// The native DeviceTaintRules that show Sluice's taints to the scheduler, so that no new pods arrive while Sluice evicts the old ones.
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { deviceKey } from '../model/identity.ts';
import type { DeviceTaint, DeviceTaintSelector } from '../model/objects.ts';
import type { ProjectedRule, ProjectionSource, TaintRule } from '../model/rule.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { DeviceTaintSlice } from '../model/taintSlice.ts';
import { matchDevice, picksByState } from './deviceMatch.ts';

export type Projection =
  | { readonly kind: 'Rules'; readonly rules: readonly ProjectedRule[] }
  /** No rule is projected: a part of them could be mistaken for the whole. */
  | { readonly kind: 'TooMany'; readonly count: number; readonly maxRules: number };

/** Native selectors of the devices that a taint applies to. */
export interface PickedDevices {
  /** At most `maxRules` entries; `count` has no limit. */
  readonly devices: readonly DeviceTaintSelector[];
  readonly count: number;
}

export const nonePicked: PickedDevices = { devices: [], count: 0 };

export interface PlacedTaint {
  readonly taint: DeviceTaint;
  readonly picked: PickedDevices;
}

/**
 * One native rule per selector and per taint that the scheduler honours. `Keep` projects the taint's own effect, because no other
 * controller evicts for it; beside an active in-tree controller the effect is NoSchedule.
 */
export function projectionOf(
  from: ProjectionSource,
  taints: readonly PlacedTaint[],
  by: { readonly effects: 'Keep' | 'NoSchedule'; readonly maxRules: number },
): Projection {
  const { kind, name: source, uid } = from;
  const heeded = taints.filter(({ taint }) => taint.effect === 'NoSchedule' || taint.effect === 'NoExecute');
  const rules = new Map<string, ProjectedRule>();
  for (const { taint: of, picked } of heeded) {
    for (const deviceSelector of picked.devices) {
      const { key, value } = of;
      const effect = by.effects === 'Keep' ? of.effect : 'NoSchedule';
      const taint = { key, effect, ...(value === undefined ? {} : { value }) };
      const content = JSON.stringify([uid, deviceSelector, taint]);
      const name = `${source.slice(0, 236)}-${bytesToHex(sha256(utf8ToBytes(content))).slice(0, 12)}`;
      rules.set(name, { name, from: { kind, name: source, uid }, deviceSelector, taint });
    }
  }
  const unlisted = heeded.reduce((sum, { picked }) => sum + picked.count - picked.devices.length, 0);
  const count = rules.size + unlisted;
  if (count > by.maxRules) return { kind: 'TooMany', count, maxRules: by.maxRules };
  return { kind: 'Rules', rules: [...rules.values()] };
}

/**
 * For a PacedTaintRule. A selector of names is one native selector; otherwise `picked` holds the devices that classes, expressions and
 * taints select now.
 */
export function placedByRule({ taint, deviceSelector: selector }: TaintRule, picked: PickedDevices): PlacedTaint {
  if (!selector) return { taint, picked: nonePicked };
  return { taint, picked: picksByState(selector) ? picked : byNames(selector) };
}

/** For a DeviceTaintSlice of the current pool generation. */
export function placedBySlice({ driver, pool, taints }: DeviceTaintSlice): readonly PlacedTaint[] {
  return taints.map(({ device, taint }) => ({ taint, picked: byNames({ driver, pool, device }) }));
}

function byNames({ driver, pool, device }: DeviceTaintSelector): PickedDevices {
  const selector = {
    ...(driver === undefined ? {} : { driver }),
    ...(pool === undefined ? {} : { pool }),
    ...(device === undefined ? {} : { device }),
  };
  return { devices: [selector], count: 1 };
}

/** Adds the selected devices of some pools: published devices, and devices that claims hold but no slice publishes. */
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
    // Stryker disable next-line ArrayDeclaration: a string among the results is no device
    for (const { driver, pool, device } of allocation?.devices ?? []) look({ driver, pool, device });
  }
  const devices = [...before.devices, ...found.values()].slice(0, by.maxRules);
  return { devices, count: before.count + found.size };
}
