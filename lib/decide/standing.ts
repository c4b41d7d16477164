// Updates the memory of a device's taints (since when present, when removed) from its slices.
import { deviceKey } from '../model/identity.ts';
import { poolsOf, type SliceTaint, type Snapshot } from '../model/snapshot.ts';
import { longestHealthyDelay, type StandingTaint } from '../model/standing.ts';
import type { Instant } from '../model/time.ts';
import { evicts } from './taint.ts';
import { agentTaintsOf } from './taintSlice.ts';

/** Identity of a taint. */
export type PresentTaint = Pick<StandingTaint, 'source' | 'key'>;

/** The evicting taints per device (`driver|pool|device`), without slices behind their pool's generation. */
export function presentTaints(slices: {
  readonly slices: Parameters<typeof poolsOf>[0];
  readonly taintSlices: Parameters<typeof agentTaintsOf>[0];
}): ReadonlyMap<string, readonly PresentTaint[]> {
  const pools = poolsOf(slices.slices);
  return presentIn({ pools, agentTaints: agentTaintsOf(slices.taintSlices, pools) });
}

export function presentIn({
  pools,
  agentTaints = new Map(),
}: Pick<Snapshot, 'pools' | 'agentTaints'>): ReadonlyMap<string, readonly PresentTaint[]> {
  const published = [...pools.values()].flatMap(({ driver, name: pool, devices }) =>
    [...devices].map(([device, taints]) => [deviceKey({ driver, pool, device }), taints] as const),
  );
  const found = new Map<string, readonly PresentTaint[]>();
  const note = (source: StandingTaint['source'], [device, taints]: readonly [string, readonly SliceTaint[]]) => {
    const keys = new Set(taints.filter(({ taint }) => evicts(taint)).map(({ taint }) => taint.key));
    const mine = [...keys].map((key) => ({ source, key }));
    if (mine.length > 0) found.set(device, [...(found.get(device) ?? []), ...mine]);
  };
  for (const one of published) note('ResourceSlice', one);
  for (const one of agentTaints) note('DeviceTaintSlice', one);
  return found;
}

function nameOf({ source, key }: PresentTaint): string {
  return `${source}|${key}`;
}

/**
 * The memory after an update: new taints are present since `now`, missing ones were removed at `now`. `undefined` if nothing changed. A
 * removal older than the longest healthyDelay is dropped at the next other change.
 */
export function standingAfter(
  known: readonly StandingTaint[],
  present: readonly PresentTaint[],
  now: Instant,
): readonly StandingTaint[] | undefined {
  const before = new Map(known.map((one) => [nameOf(one), one]));
  const after = new Map(present.map((one) => [nameOf(one), comeBack(before.get(nameOf(one)), one, now)]));
  for (const [name, one] of before) if (!after.has(name)) after.set(name, { ...one, liftedAt: one.liftedAt ?? now });
  const isMoved = [...after].some(([name, one]) => before.get(name)?.liftedAt !== one.liftedAt || !before.has(name));
  if (!isMoved) return undefined;
  return [...after.values()].filter(({ liftedAt = now }) => now - liftedAt <= longestHealthyDelay);
}

function comeBack(known: StandingTaint | undefined, { source, key }: PresentTaint, now: Instant): StandingTaint {
  if (!known) return { source, key, since: now };
  return known.liftedAt === undefined ? known : { source, key, since: now, healedAt: known.liftedAt };
}
