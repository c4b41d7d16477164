// Which claims have which device allocated, cached between readings: only changed claims are processed again.
import { deviceKey, nameKey, poolKey } from '../../model/identity.ts';
import type { AllocatedDevice, ResourceClaim } from '../../model/objects.ts';
import { compareText, type Snapshot } from '../../model/snapshot.ts';

export interface Use {
  readonly claim: ResourceClaim;
  readonly result: AllocatedDevice;
}

export interface ClaimUses {
  /** Updates the index; returns the keys of pools whose allocations changed. */
  update(claims: Snapshot['claims']): ReadonlySet<string>;
  /** Uses by device key, sorted by claim name; results with adminAccess do not count. */
  of(device: string): readonly Use[];
}

export function createClaimUses(): ClaimUses {
  const known = new Map<string, ResourceClaim>();
  const uses = new Map<string, readonly Use[]>();
  const leave = (claim: ResourceClaim, changed: Set<string>) => {
    for (const result of heldBy(claim)) {
      const key = deviceKey(result);
      const rest = (uses.get(key) ?? []).filter((one) => one.claim !== claim);
      if (rest.length > 0) uses.set(key, rest);
      else uses.delete(key);
      changed.add(poolKey(result.driver, result.pool));
    }
  };
  const enter = (claim: ResourceClaim, changed: Set<string>) => {
    for (const result of heldBy(claim)) {
      const key = deviceKey(result);
      uses.set(key, [...(uses.get(key) ?? []), { claim, result }].sort(byClaim));
      changed.add(poolKey(result.driver, result.pool));
    }
  };
  return {
    of: (device) => uses.get(device) ?? [],
    update(claims) {
      const changed = new Set<string>();
      for (const { key, before, claim } of replacedIn(known, claims) ?? changesIn(known, claims)) {
        if (before) leave(before, changed);
        if (claim) enter(claim, changed);
        if (claim) known.set(key, claim);
        else known.delete(key);
      }
      return changed;
    },
  };
}

interface ClaimChange {
  readonly key: string;
  /** Absent: added. */
  readonly before: ResourceClaim | undefined;
  /** Absent: removed. */
  readonly claim: ResourceClaim | undefined;
}

/**
 * Replaced claims, if none was added or removed: both maps then have the same order, so that 40,000 claims are compared without
 * looking up their keys. Otherwise `undefined`.
 */
function replacedIn(
  known: ReadonlyMap<string, ResourceClaim>,
  claims: Snapshot['claims'],
): readonly ClaimChange[] | undefined {
  if (known.size !== claims.size) return undefined;
  const found: ClaimChange[] = [];
  const mine = known.values();
  for (const [key, claim] of claims) {
    const { value: before } = mine.next();
    if (before === claim) continue;
    if (!before || known.get(key) !== before) return undefined;
    found.push({ key, before, claim });
  }
  return found;
}

function changesIn(known: ReadonlyMap<string, ResourceClaim>, claims: Snapshot['claims']): readonly ClaimChange[] {
  const found: ClaimChange[] = [];
  for (const [key, claim] of claims) {
    const before = known.get(key);
    if (before !== claim) found.push({ key, before, claim });
  }
  const added = found.filter(({ before }) => before === undefined).length;
  if (known.size + added === claims.size) return found;
  for (const [key, before] of known) if (!claims.has(key)) found.push({ key, before, claim: undefined });
  return found;
}

function byClaim(a: Use, b: Use): number {
  return compareText(nameKey(a.claim), nameKey(b.claim));
}

function heldBy({ allocation }: ResourceClaim): readonly AllocatedDevice[] {
  return (allocation?.devices ?? []).filter(({ adminAccess }) => !adminAccess);
}
