// Gauges of a cluster that tell an operator whether device taints are in use.
import { deviceKey } from '../model/identity.ts';
import type { ResourceClaim } from '../model/objects.ts';
import type { Pool, Snapshot } from '../model/snapshot.ts';
import { tolerationsOf } from './annotatedTolerations.ts';
import { rulesOn } from './taint.ts';

/** KEP-5055, production readiness: how an operator can tell that the feature is in use. */
export interface Gauges {
  readonly Rules: number;
  /** Published devices with a taint of any effect, from a slice or a rule. */
  readonly TaintedDevices: number;
  /** Of those, devices in any claim's allocation. */
  readonly AllocatedTaintedDevices: number;
  /** Claims whose allocation tolerates any taint. */
  readonly ClaimsWithTolerations: number;
}

/** For some pools; `claims` must hold every allocation in them. */
export function taintedDevices(snapshot: Snapshot): Pick<Gauges, 'TaintedDevices' | 'AllocatedTaintedDevices'> {
  const tainted = [...snapshot.pools.values()].flatMap((pool) => taintedIn(pool, snapshot));
  // Stryker disable next-line ArrayDeclaration: a string among the results is no device
  const results = [...snapshot.claims.values()].flatMap(({ allocation }) => allocation?.devices ?? []);
  const allocated = new Set(results.map(deviceKey));
  return {
    TaintedDevices: tainted.length,
    AllocatedTaintedDevices: tainted.filter((id) => allocated.has(id)).length,
  };
}

export function isTolerating(claim: ResourceClaim): boolean {
  // Stryker disable next-line ArrayDeclaration: a string among the results tolerates nothing
  const results = claim.allocation?.devices ?? [];
  return results.some((result) => tolerationsOf(result, claim).length > 0);
}

/** Keys of a pool's devices with a taint of any effect. */
function taintedIn(pool: Pool, snapshot: Snapshot): readonly string[] {
  return [...pool.devices].flatMap(([device, taints]) => {
    const id = { driver: pool.driver, pool: pool.name, device };
    const isByAgent = (snapshot.agentTaints?.get(deviceKey(id)) ?? []).length > 0;
    return taints.length > 0 || isByAgent || rulesOn(id, snapshot).rules.length > 0 ? [deviceKey(id)] : [];
  });
}
