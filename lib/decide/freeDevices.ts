// How many devices could take over from those in a plan: published, in nobody's allocation, not tainted, of the class asked for.
import { type DeviceId, deviceKey } from '../model/identity.ts';
import type { DeviceTaint } from '../model/objects.ts';
import type { FreeDevices, PlannedDevice, PlannedPod } from '../model/plan.ts';
import { compareText, type Pool, type Snapshot } from '../model/snapshot.ts';
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
  const wanted = pods.flatMap(({ claims }) => claims.flatMap(({ devices }) => devices)).map(kindOf(snapshot));
  if (wanted.length === 0) return [];
  const taken = takenDevices(snapshot.claims);
  const free = [...snapshot.pools.values()].flatMap((pool) => freeIn(pool, { taken, snapshot }));
  const [classes, drivers] = [namesOf(wanted, 'deviceClassName'), namesOf(wanted, 'driver')];
  return [
    ...classes.map((deviceClassName) => {
      const selecting: Selecting = {
        deviceSelector: { deviceClassName },
        deviceClass: snapshot.classes?.get(deviceClassName) ?? [],
      };
      const isOfClass = (device: DeviceId) => matchDevice(selecting, device, snapshot).kind === 'Selected';
      return { deviceClassName, free: free.filter(isOfClass).length };
    }),
    ...drivers.map((driver) => ({ driver, free: free.filter((device) => device.driver === driver).length })),
  ];
}

/** What has to be free for a device to be replaced: any of its class, or any of its driver. */
function kindOf({ classes }: Around): (device: PlannedDevice) => { deviceClassName: string } | { driver: string } {
  return ({ driver, deviceClassName = '' }) => (classes?.has(deviceClassName) ? { deviceClassName } : { driver });
}

function namesOf(wanted: readonly Readonly<Record<string, string>>[], member: string): readonly string[] {
  return [...new Set(wanted.flatMap((one) => one[member] ?? []))].sort(compareText);
}

function takenDevices(claims: Snapshot['claims']): ReadonlySet<string> {
  // Stryker disable next-line ArrayDeclaration: a text among the results is no device and takes none
  const results = [...claims.values()].flatMap(({ allocation }) => allocation?.devices ?? []);
  return new Set(results.filter(({ adminAccess }) => !adminAccess).map(deviceKey));
}

function freeIn(
  { driver, name, devices }: Pool,
  by: { readonly taken: ReadonlySet<string>; readonly snapshot: Around },
): readonly DeviceId[] {
  return [...devices].flatMap(([device, taints]) => {
    const id = { driver, pool: name, device };
    if (by.taken.has(deviceKey(id))) return [];
    const isTainted =
      [...taints, ...(by.snapshot.agentTaints?.get(deviceKey(id)) ?? [])].some(({ taint }) => keepsAway(taint)) ||
      rulesOn(id, by.snapshot).rules.some(({ rule }) => keepsAway(rule.taint));
    return isTainted ? [] : [id];
  });
}

/** The scheduler allocates no device with one of these unless the request tolerates it (semantics.md 3.6). */
function keepsAway({ effect }: DeviceTaint): boolean {
  return effect === 'NoSchedule' || effect === 'NoExecute';
}
