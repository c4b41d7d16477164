// Devices of a cluster with their taints from every source and the pods that use them; pure.
import { consumedClaims } from '../../decide/consume.ts';
import { matchDevice } from '../../decide/deviceMatch.ts';
import { type DeviceId, deviceKey, poolKey } from '../../model/identity.ts';
import type { Pod } from '../../model/objects.ts';
import type { PacedTaint } from '../../model/rule.ts';
import { compareText, type Snapshot } from '../../model/snapshot.ts';
import { UsageFailure } from '../failure.ts';
import type { Picture } from './assemble.ts';

export interface DeviceOfCluster extends DeviceId {
  readonly taints: readonly TaintOfDevice[];
  /** `namespace/name` of the pods whose claims have the device allocated. */
  readonly pods: readonly string[];
}

export interface TaintOfDevice {
  readonly taint: PacedTaint;
  /** `PacedTaintRule a`, `ResourceSlice b`. */
  readonly source: string;
}

/** `driver/pool/device`; only the pool name may contain slashes. */
export function deviceText({ driver, pool, device }: DeviceId): string {
  return `${driver}/${pool}/${device}`;
}

function parseDevice(text: string): DeviceId | undefined {
  const [driver = '', ...rest] = text.split('/');
  const device = rest.pop() ?? '';
  const pool = rest.join('/');
  return driver === '' || pool === '' || device === '' ? undefined : { driver, pool, device };
}

/** Throws a UsageFailure if the text is not `driver/pool/device`. */
export function requireDevice(text: string): DeviceId {
  const id = parseDevice(text);
  if (!id) throw new UsageFailure(`${text} is not a device`, 'write it as DRIVER/POOL/DEVICE');
  return id;
}

/** Sorted by driver, pool and device. */
export function devicesOf({ snapshot }: Picture): readonly DeviceOfCluster[] {
  const users = usersOf(snapshot);
  const devices = [...snapshot.pools.values()].flatMap(({ driver, name: pool, devices: published }) =>
    [...published.keys()].map((device) => ({ driver, pool, device })),
  );
  return devices
    .map((id) => ({ ...id, taints: taintsOn(id, snapshot), pods: users.get(deviceKey(id)) ?? [] }))
    .toSorted((a, b) => compareText(deviceText(a), deviceText(b)));
}

/** Taints with any effect, so NoSchedule too. */
export function taintsOn(device: DeviceId, snapshot: Snapshot): readonly TaintOfDevice[] {
  const pool = snapshot.pools.get(poolKey(device.driver, device.pool));
  const rules = snapshot.rules.filter((rule) => matchDevice(rule, device, snapshot).kind === 'Selected');
  return [
    ...rules.map(({ kind, name, taint }) => ({ taint, source: `${kind} ${name}` })),
    ...(pool?.devices.get(device.device) ?? []).map(({ slice, taint }) => ({
      taint,
      source: `ResourceSlice ${slice}`,
    })),
    ...(snapshot.agentTaints?.get(deviceKey(device)) ?? []).map(({ slice, taint }) => ({
      taint,
      source: `DeviceTaintSlice ${slice}`,
    })),
  ];
}

/** Pods as `namespace/name`, by `driver|pool|device`. */
function usersOf(snapshot: Snapshot): ReadonlyMap<string, readonly string[]> {
  const users = new Map<string, string[]>();
  for (const pod of snapshot.pods)
    for (const id of devicesOfPod(pod, snapshot)) {
      const known = users.get(deviceKey(id)) ?? [];
      users.set(deviceKey(id), known);
      known.push(`${pod.namespace}/${pod.name}`);
    }
  return users;
}

export function devicesOfPod(pod: Pod, snapshot: Snapshot): readonly DeviceId[] {
  const results = consumedClaims(pod, snapshot).flatMap((claim) => claim.allocation.devices);
  return results.map(({ driver, pool, device }) => ({ driver, pool, device }));
}
