// How many devices could take over from those in a plan: published, in nobody's allocation, not tainted, of the class asked for.
import { type DeviceId, deviceKey } from '../model/identity.ts';
import type { DeviceTaint } from '../model/objects.ts';
import type { FreeDevices, PlannedDevice, PlannedPod } from '../model/plan.ts';
import { compareText, type Pool, type SliceTaint, type Snapshot } from '../model/snapshot.ts';
import { matchDevice, type Selecting } from './deviceMatch.ts';
import { rulesOn } from './taint.ts';

type Around = Pick<Snapshot, 'pools' | 'rules' | 'remembered' | 'agentTaints' | 'classes'>;

/**
 * By class of the planned devices, then by driver for those whose class is not known; each sorted. A device with admin access is
 * not used up by it; a shared device that anybody holds counts as taken. Taints that a pod might tolerate count all the same: the
 * number is a lower bound.
 */
export function freeDevices(
  pods: readonly PlannedPod[],
  snapshot: Around & Pick<Snapshot, 'claims'>,
): readonly FreeDevices[] {
  const wanted = pods.flatMap(({ claims }) => claims.flatMap(({ devices }) => devices));
  // Stryker disable next-line ConditionalExpression: without this nothing is counted for nobody, only slower
  if (wanted.length === 0) return [];
  const { classes = new Map<string, readonly string[]>() } = snapshot;
  const taken = takenDevices(snapshot.claims);
  const free = [...snapshot.pools.values()].flatMap((pool) => freeIn(pool, { taken, snapshot }));
  const isOfKnownClass = ({ deviceClassName }: PlannedDevice) =>
    // Stryker disable next-line ConditionalExpression: no class goes without a name
    deviceClassName !== undefined && classes.has(deviceClassName);
  const names = new Set(wanted.map(({ deviceClassName }) => deviceClassName));
  const drivers = new Set(wanted.filter((device) => !isOfKnownClass(device)).map(({ driver }) => driver));
  return [
    ...[...classes]
      .filter(([name]) => names.has(name))
      .sort(([a], [b]) => compareText(a, b))
      .map(([deviceClassName, deviceClass]) => {
        const selecting: Selecting = { deviceSelector: { deviceClassName }, deviceClass };
        const isOfClass = (device: DeviceId) => matchDevice(selecting, device, snapshot).kind === 'Selected';
        return { deviceClassName, free: free.filter(isOfClass).length };
      }),
    ...[...drivers]
      .sort(compareText)
      .map((driver) => ({ driver, free: free.filter((device) => device.driver === driver).length })),
  ];
}

/** By `driver|pool|device`. */
export function takenDevices(claims: Snapshot['claims']): ReadonlySet<string> {
  // Stryker disable next-line ArrayDeclaration: a text among the results is no device and takes none
  const results = [...claims.values()].flatMap(({ allocation }) => allocation?.devices ?? []);
  return new Set(results.filter(({ adminAccess }) => !adminAccess).map(deviceKey));
}

/** Published devices of a pool that no claim holds and no taint keeps pods away from. */
export function freeIn(
  { driver, name, devices }: Pool,
  { taken, snapshot }: { readonly taken: ReadonlySet<string>; readonly snapshot: Around },
): readonly DeviceId[] {
  return [...devices]
    .map(([device, taints]) => ({ id: { driver, pool: name, device }, taints }))
    .filter(({ id, taints }) => !taken.has(deviceKey(id)) && !isTainted(id, taints, snapshot))
    .map(({ id }) => id);
}

function isTainted(id: DeviceId, taints: readonly SliceTaint[], snapshot: Around): boolean {
  return (
    taints.some(({ taint }) => keepsAway(taint)) ||
    snapshot.agentTaints?.get(deviceKey(id))?.some(({ taint }) => keepsAway(taint)) ||
    rulesOn(id, snapshot).rules.some(({ rule }) => keepsAway(rule.taint))
  );
}

/** The scheduler allocates no device with one of these unless the request tolerates it (docs/reference/rules.md 2.2). */
function keepsAway({ effect }: DeviceTaint): boolean {
  return effect === 'NoSchedule' || effect === 'NoExecute';
}
