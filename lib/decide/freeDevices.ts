// How many devices could replace those in a plan: published, not allocated, not tainted, of the requested class.
import { type DeviceId, deviceKey } from '../model/identity.ts';
import type { DeviceTaint } from '../model/objects.ts';
import type { FreeDevices, PlannedDevice } from '../model/plan.ts';
import { type RuleRef, ruleRef, type TaintRule } from '../model/rule.ts';
import { compareText, type Pool, type SliceTaint, type Snapshot } from '../model/snapshot.ts';
import { addTallies } from './census.ts';
import { matchDevice } from './deviceMatch.ts';
import { rulesFor } from './ruleIndex.ts';
import { rulesOn } from './taint.ts';

type Around = Pick<Snapshot, 'pools' | 'rules' | 'agentTaints' | 'classes' | 'recall'>;

interface FreeCount {
  readonly byDriver: ReadonlyMap<string, number>;
  readonly byClass: ReadonlyMap<string, number>;
}

/** Counts of disjoint parts of a cluster can be added. */
export interface FreeInCluster {
  readonly all: FreeCount;
  /** The free devices that a rule which does not evict yet would taint. */
  readonly reached: ReadonlyMap<RuleRef, FreeCount>;
}

const noneFree: FreeCount = { byDriver: new Map(), byClass: new Map() };
export const nothingFree: FreeInCluster = { all: noneFree, reached: new Map() };

/**
 * Counts free devices in some pools; `claims` must hold every allocation in them. Admin access does not use up a device; a shared device is
 * taken once any claim holds it. Taints are counted even if a pod tolerates them, so the result is a lower bound.
 */
export function countFree(
  snapshot: Around & Pick<Snapshot, 'claims'>,
  { asking }: { readonly asking: readonly TaintRule[] },
): FreeInCluster {
  const taken = takenDevices(snapshot.claims);
  const free = [...snapshot.pools.values()].flatMap((pool) => freeIn(pool, { taken, snapshot }));
  const reached = free.flatMap((device) =>
    rulesFor(device, asking, snapshot.recall)
      .filter((rule) => matchDevice(rule, device, snapshot).kind === 'Selected')
      .map((rule) => ({ device, ref: ruleRef(rule) })),
  );
  const byRule = Map.groupBy(reached, ({ ref }) => ref);
  return {
    all: countOf(free, snapshot),
    reached: new Map(
      [...byRule].map(([ref, of]) => [ref, countOf([...new Set(of.map(({ device }) => device))], snapshot)]),
    ),
  };
}

function countOf(free: readonly DeviceId[], snapshot: Around): FreeCount {
  const classes = [...(snapshot.classes ?? new Map<string, readonly string[]>())];
  const isOf = (deviceClassName: string, deviceClass: readonly string[], device: DeviceId) =>
    matchDevice({ deviceSelector: { deviceClassName }, deviceClass }, device, snapshot).kind === 'Selected';
  return {
    byDriver: new Map([...Map.groupBy(free, ({ driver }) => driver)].map(([driver, of]) => [driver, of.length])),
    byClass: new Map(
      classes.map(([name, deviceClass]) => [name, free.filter((device) => isOf(name, deviceClass, device)).length]),
    ),
  };
}

export function addFree(a: FreeInCluster, b: FreeInCluster): FreeInCluster {
  const reached = new Map(a.reached);
  for (const [ref, count] of b.reached) reached.set(ref, added(reached.get(ref) ?? noneFree, count));
  return { all: added(a.all, b.all), reached };
}

function added(a: FreeCount, b: FreeCount): FreeCount {
  return { byDriver: addTallies(a.byDriver, b.byDriver), byClass: addTallies(a.byClass, b.byClass) };
}

/** By class of the planned devices, then by driver for devices of unknown class; each sorted. */
export function freeFor(
  free: FreeInCluster,
  { rule, wanted }: { readonly rule: RuleRef; readonly wanted: readonly PlannedDevice[] },
): readonly FreeDevices[] {
  const { all } = free;
  const less = free.reached.get(rule) ?? noneFree;
  const knownClassOf = ({ deviceClassName }: PlannedDevice) =>
    // Stryker disable next-line ConditionalExpression: every class has a name
    deviceClassName !== undefined && all.byClass.has(deviceClassName) ? [deviceClassName] : [];
  const classes = new Set(wanted.flatMap(knownClassOf));
  const drivers = new Set(wanted.filter((device) => knownClassOf(device).length === 0).map(({ driver }) => driver));
  const left = (of: keyof FreeCount, name: string) => (all[of].get(name) ?? 0) - (less[of].get(name) ?? 0);
  return [
    ...[...classes].sort(compareText).map((name) => ({ deviceClassName: name, free: left('byClass', name) })),
    ...[...drivers].sort(compareText).map((driver) => ({ driver, free: left('byDriver', driver) })),
  ];
}

/** Keys are `driver|pool|device`. */
export function takenDevices(claims: Snapshot['claims']): ReadonlySet<string> {
  // Stryker disable next-line ArrayDeclaration: a string among the results is no device and takes none
  const results = [...claims.values()].flatMap(({ allocation }) => allocation?.devices ?? []);
  return new Set(results.filter(({ adminAccess }) => !adminAccess).map(deviceKey));
}

/** Published devices of a pool that no claim holds and no NoSchedule or NoExecute taint covers. */
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

/** The scheduler does not allocate a device with one of these effects unless the request tolerates it (docs/reference/rules.md 2.2). */
function keepsAway({ effect }: DeviceTaint): boolean {
  return effect === 'NoSchedule' || effect === 'NoExecute';
}
