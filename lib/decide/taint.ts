// The taints that act on an allocated device, each with where it came from.
import { type DeviceId, poolKey } from '../model/identity.ts';
import type { DeviceTaint } from '../model/objects.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { TaintOrigin } from '../model/verdict.ts';
import { rulesFor } from './ruleIndex.ts';

export interface EffectiveTaint {
  readonly origin: TaintOrigin;
  readonly taint: DeviceTaint;
}

/** NoExecute alone evicts; any other effect, known or not, acts as None here (semantics.md 2.3). */
export function evicts(taint: DeviceTaint): boolean {
  return taint.effect === 'NoExecute';
}

/**
 * Rules first by name, then the device's own taints by slice and index; purely additive (semantics.md 2.2). Rules match the
 * names of the allocation, so they act even where no slice publishes the device any more; slice taints cannot.
 */
export function taintsOf(device: DeviceId, snapshot: Pick<Snapshot, 'rules' | 'pools'>): readonly EffectiveTaint[] {
  const taints: EffectiveTaint[] = [];
  for (const { name, uid, generation, taint } of rulesFor(device, snapshot.rules)) {
    if (evicts(taint)) taints.push({ origin: { kind: 'Rule', name, uid, generation }, taint });
  }
  const published = snapshot.pools.get(poolKey(device.driver, device.pool))?.devices.get(device.device) ?? [];
  for (const { slice, index, taint } of published) {
    if (evicts(taint)) taints.push({ origin: { kind: 'Slice', name: slice, index }, taint });
  }
  return taints;
}
