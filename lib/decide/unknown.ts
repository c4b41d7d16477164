// Whether a pod depends on an object whose content is unknown: then the pod is kept.
import { poolKey } from '../model/identity.ts';
import type { Pod } from '../model/objects.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { claimNamesOf } from './consume.ts';

/** Why it is unknown; `undefined` if every object is known. */
export function unknownTo(pod: Pod, { unknown, claims }: Pick<Snapshot, 'unknown' | 'claims'>): string | undefined {
  if (!unknown) return undefined;
  const keys = claimNamesOf(pod).map((name) => `${pod.namespace}/${name}`);
  for (const key of keys) {
    const why = unknown.claims.get(key);
    if (why !== undefined) return why;
    for (const { driver, pool } of claims.get(key)?.allocation?.devices ?? []) {
      const ofPool = unknown.pools.get(poolKey(driver, pool));
      if (ofPool !== undefined) return ofPool;
    }
  }
  return keys.length > 0 ? (unknown.pods.get(`${pod.namespace}/${pod.name}`) ?? unknown.all) : undefined;
}
