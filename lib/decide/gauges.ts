// How much there is to evict in a cluster and why: the figures that tell an operator whether device taints are in use.
import { deviceKey } from '../model/identity.ts';
import type { Pool, Snapshot } from '../model/snapshot.ts';
import { tolerationsOf } from './annotatedTolerations.ts';
import { rulesOn } from './taint.ts';

/** KEP-5055, production readiness: how an operator can tell that the feature is in use. */
export interface Gauges {
  readonly Rules: number;
  /** Published devices with a taint of whatever effect, from their slice or from a rule. */
  readonly TaintedDevices: number;
  /** Of those, devices in some claim's allocation. */
  readonly AllocatedTaintedDevices: number;
  /** Claims whose allocation tolerates any taint. */
  readonly ClaimsWithTolerations: number;
}

export function gaugesOf(snapshot: Snapshot): Gauges {
  const tainted = new Set<string>();
  for (const pool of snapshot.pools.values()) for (const id of taintedIn(pool, snapshot)) tainted.add(id);
  const allocated = new Set<string>();
  let tolerating = 0;
  for (const claim of snapshot.claims.values()) {
    // Stryker disable next-line ArrayDeclaration: a text among the results is no device and tolerates nothing
    const results = claim.allocation?.devices ?? [];
    for (const result of results) allocated.add(deviceKey(result));
    if (results.some((result) => tolerationsOf(result, claim).length > 0)) tolerating++;
  }
  return {
    Rules: new Set(snapshot.rules.map(({ uid }) => uid)).size,
    TaintedDevices: tainted.size,
    AllocatedTaintedDevices: [...tainted].filter((id) => allocated.has(id)).length,
    ClaimsWithTolerations: tolerating,
  };
}

function taintedIn(pool: Pool, snapshot: Snapshot): readonly string[] {
  return [...pool.devices].flatMap(([device, taints]) => {
    const id = { driver: pool.driver, pool: pool.name, device };
    const isByAgent = (snapshot.agentTaints?.get(deviceKey(id)) ?? []).length > 0;
    return taints.length > 0 || isByAgent || rulesOn(id, snapshot).rules.length > 0 ? [deviceKey(id)] : [];
  });
}
