// A consistent view of one cluster, or of one pod's neighbourhood: the whole input of `evaluate`.
import { nameKey, poolKey } from './identity.ts';
import type { Namespace } from './namespace.ts';
import type { Device, DeviceClasses, DeviceTaint, Pod, ResourceClaim, ResourceSlice, SpecAuthor } from './objects.ts';
import type { StoredModes } from './ownership.ts';
import type { EvictionPolicy } from './policy.ts';
import { createRecall, type Recall } from './recall.ts';
import type { PacedTaint, TaintRule } from './rule.ts';
import type { StandingTaints } from './standing.ts';
import type { UnknownObjects } from './unknown.ts';
import type { Wave } from './wave.ts';

/** Settings that change how objects are evaluated. `upstreamSettings`: behaviour of v1.37.1. `defaultSettings`: an installation's. */
export interface Settings {
  /** PodGroup reservations and group-owned claims count (gate DRAWorkloadResourceClaims, KEP-5729). */
  readonly workloadClaims: boolean;
  /** Claims of extended resources count; upstream since 1.38, docs/reference/rules.md 3.4. On by default: their pods hold devices. */
  readonly extendedResourceClaims: boolean;
  /** Claims reserved for a consumer that is not a pod count for all referencing pods (KEP-5194). */
  readonly nonPodConsumers: boolean;
  /** A toleration with empty effect also prevents eviction; upstream: false (docs/reference/rules.md 2.2). */
  readonly emptyEffectTolerates: boolean;
  /** A NoExecute rule with selector `{}` needs an approval; upstream: false. On by default. */
  readonly holdEmptySelector: boolean;
  /** The sweep removes reservedFor entries of consumers that are no pods and no longer exist (KEP-5194). Off: it writes claims. */
  readonly releaseStaleConsumers: boolean;
  /** Taints of PacedTaintRules and DeviceTaintSlices are projected into native rules for the scheduler. */
  readonly projectRules: boolean;
  readonly projection: {
    /** Maximum native rules per PacedTaintRule or DeviceTaintSlice: the scheduler checks each of them for each device. */
    readonly maxRules: number;
  };
}

/** Settings of an installation; `detect`: as each cluster's API server serves it. */
export interface InstallationSettings extends Omit<Settings, 'workloadClaims'> {
  readonly workloadClaims: boolean | 'detect';
}

/** The APIs that an API server was last seen to serve. */
export interface Served {
  /** PodGroups of scheduling.k8s.io; without them no claim can be reserved for one. */
  readonly podGroups: boolean;
}

export function settingsFor(chosen: InstallationSettings, { podGroups }: Served): Settings {
  const { workloadClaims } = chosen;
  return { ...chosen, workloadClaims: workloadClaims === 'detect' ? podGroups : workloadClaims };
}

export const upstreamSettings: Settings = {
  workloadClaims: false,
  extendedResourceClaims: false,
  nonPodConsumers: false,
  emptyEffectTolerates: false,
  holdEmptySelector: false,
  releaseStaleConsumers: false,
  projectRules: false,
  projection: { maxRules: 256 },
};

/** Defaults of an installation. */
export const defaultSettings: InstallationSettings = {
  ...upstreamSettings,
  workloadClaims: 'detect',
  extendedResourceClaims: true,
  holdEmptySelector: true,
  projectRules: true,
};

/** A taint of a published device with its position, for reports. */
export interface SliceTaint {
  readonly slice: string;
  readonly index: number;
  readonly taint: DeviceTaint;
  /** Author of the slice's spec. */
  readonly author?: SpecAuthor;
}

/** A taint of a DeviceTaintSlice with its position. */
export interface AgentTaint extends SliceTaint {
  readonly taint: PacedTaint;
}

/** The devices of one pool, from its newest generation. */
export interface Pool {
  readonly driver: string;
  readonly name: string;
  readonly generation: number;
  /** Published devices by name, with their taints (usually none). */
  readonly devices: ReadonlyMap<string, readonly SliceTaint[]>;
  /** Published properties by device name; `Twice` if two entries with one name differ. */
  readonly published: ReadonlyMap<string, Device | 'Twice'>;
}

export interface Snapshot {
  readonly pods: readonly Pod[];
  /** By `namespace/name`. */
  readonly claims: ReadonlyMap<string, ResourceClaim>;
  /** By `driver|pool`. */
  readonly pools: ReadonlyMap<string, Pool>;
  /** Sorted by name. */
  readonly rules: readonly TaintRule[];
  /** For slice taints; rules carry their own policies. */
  readonly policies?: readonly EvictionPolicy[];
  /** Namespaces with labels under `sluice.dev/` or pauses, by name. */
  readonly namespaces?: ReadonlyMap<string, Namespace>;
  /** Taints set by agents, by `driver|pool|device`. */
  readonly agentTaints?: ReadonlyMap<string, readonly AgentTaint[]>;
  /** Since when slice taints have been present; only if a policy needs it. */
  readonly standing?: StandingTaints;
  /** Waves of taints; only if a policy watches for them. */
  readonly waves?: readonly Wave[];
  /** CEL expressions of DeviceClasses, by name; only in snapshots of a whole cluster. */
  readonly classes?: DeviceClasses;
  /** Taints of ResourceSlices are present, but evict no pod. */
  readonly nativeSlices?: 'Watched';
  /** Objects of the cluster that the mirror lacks; absent if there are none. */
  readonly unknown?: UnknownObjects;
  /** The cluster's modes, as stored in the table. */
  readonly modes?: StoredModes;
  readonly settings: Settings;
  /** The caller's cache; decisions do not depend on it. */
  readonly recall: Recall;
}

export interface SnapshotObjects {
  readonly pods: readonly Pod[];
  readonly claims: readonly ResourceClaim[];
  readonly slices: readonly ResourceSlice[];
  readonly rules: readonly TaintRule[];
  readonly settings?: Settings;
  /** Absent: a new cache. */
  readonly recall?: Recall;
}

/** Builds a snapshot; the order of the objects does not matter. */
export function snapshotOf(objects: SnapshotObjects): Snapshot {
  return {
    pods: objects.pods,
    claims: new Map(objects.claims.map((claim) => [nameKey(claim), claim])),
    pools: poolsOf(objects.slices),
    rules: objects.rules.toSorted((a, b) => compareText(a.name, b.name)),
    settings: objects.settings ?? upstreamSettings,
    recall: objects.recall ?? createRecall(),
  };
}

/**
 * Groups slices into pools and keeps the newest generation seen, complete or not (docs/reference/rules.md 1.3). A device name that occurs
 * twice in a generation keeps the taints of both entries: contradictory input must stay visible.
 */
export function poolsOf(slices: readonly ResourceSlice[]): ReadonlyMap<string, Pool> {
  const newest = new Map<string, number>();
  for (const slice of slices) {
    const key = poolKey(slice.driver, slice.pool.name);
    newest.set(key, Math.max(newest.get(key) ?? slice.pool.generation, slice.pool.generation));
  }
  const pools = new Map<string, GrowingPool>();
  for (const slice of slices.toSorted((a, b) => compareText(a.name, b.name))) {
    const key = poolKey(slice.driver, slice.pool.name);
    const generation = newest.get(key) ?? 0;
    if (slice.pool.generation !== generation) continue;
    const pool = pools.get(key) ?? emptyPool(slice, generation);
    pools.set(key, pool);
    for (const device of slice.devices) {
      const taints = pool.devices.get(device.name) ?? [];
      taints.push(...taintsIn(slice, device));
      pool.devices.set(device.name, taints);
      pool.published.set(device.name, pool.published.has(device.name) ? 'Twice' : device);
    }
  }
  return pools;
}

function taintsIn({ name, author }: ResourceSlice, { taints = [] }: Device): readonly SliceTaint[] {
  const by = author ? { author } : {};
  return taints.map((taint, index) => ({ slice: name, index, taint, ...by }));
}

interface GrowingPool extends Pool {
  readonly devices: Map<string, SliceTaint[]>;
  readonly published: Map<string, Device | 'Twice'>;
}

function emptyPool({ driver, pool }: ResourceSlice, generation: number): GrowingPool {
  return { driver, name: pool.name, generation, devices: new Map(), published: new Map() };
}

/** Compares by UTF-16 code unit, which is the same on every machine. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
