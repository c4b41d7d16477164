// How many devices could take over from those in a plan: published, in nobody's allocation, not tainted.
import { type DeviceId, deviceKey } from '../model/identity.ts';
import type { DeviceTaint } from '../model/objects.ts';
import type { FreeDevices, PlannedPod } from '../model/plan.ts';
import { compareText, type Pool, type Snapshot } from '../model/snapshot.ts';
import { rulesOn } from './taint.ts';

type Around = Pick<Snapshot, 'pools' | 'rules' | 'remembered' | 'agentTaints'>;

/**
 * By driver of the planned devices, sorted. A device with admin access is not used up by it; a shared device that anybody holds
 * counts as taken. Taints that a pod might tolerate count all the same: the number is a lower bound.
 */
export function freeDevices(
  pods: readonly PlannedPod[],
  snapshot: Around & Pick<Snapshot, 'claims'>,
): readonly FreeDevices[] {
  const planned = pods.flatMap(({ claims }) => claims.flatMap(({ devices }) => devices));
  const drivers = [...new Set(planned.map(({ driver }) => driver))].sort(compareText);
  const taken = takenDevices(snapshot.claims);
  return drivers.map((driver) => {
    const pools = [...snapshot.pools.values()].filter((pool) => pool.driver === driver);
    const free = pools.flatMap((pool) => freeIn(pool, { taken, snapshot }));
    return { driver, free: free.length };
  });
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
    const isTainted =
      [...taints, ...(by.snapshot.agentTaints?.get(deviceKey(id)) ?? [])].some(({ taint }) => keepsAway(taint)) ||
      rulesOn(id, by.snapshot).rules.some(({ rule }) => keepsAway(rule.taint));
    return isTainted || by.taken.has(deviceKey(id)) ? [] : [id];
  });
}

/** The scheduler allocates no device with one of these unless the request tolerates it (semantics.md 3.6). */
function keepsAway({ effect }: DeviceTaint): boolean {
  return effect === 'NoSchedule' || effect === 'NoExecute';
}
