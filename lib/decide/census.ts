// How many pods use devices, the base of percentage limits: per DeviceClass, driver, node, workload and pool.
import { poolKey, type Uid } from '../model/identity.ts';
import type { AllocatedDevice, Pod } from '../model/objects.ts';
import type { TaintRule } from '../model/rule.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { consumedClaims } from './consume.ts';
import { matchDevice, type Selecting } from './deviceMatch.ts';
import { isCounted } from './evaluate.ts';

/** Terminating pods count in `byNode`, `byWorkload` and `byPool` only, where they still take up room. */
export interface Census {
  readonly all: number;
  readonly byDriver: ReadonlyMap<string, number>;
  /** Only classes that a rule names. */
  readonly byClass: ReadonlyMap<string, number>;
  readonly byNode: ReadonlyMap<string, number>;
  /** By UID of the controller. */
  readonly byWorkload: ReadonlyMap<Uid, number>;
  /** By `driver|pool`. */
  readonly byPool: ReadonlyMap<string, number>;
}

interface Consumer {
  readonly pod: Pod;
  readonly devices: readonly AllocatedDevice[];
}

export function censusOf(snapshot: Snapshot): Census {
  const consumers = snapshot.pods.flatMap((pod): readonly Consumer[] => {
    const devices = consumedClaims(pod, snapshot).flatMap(({ allocation }) => allocation.devices);
    return devices.length === 0 ? [] : [{ pod, devices }];
  });
  const counted = consumers.filter(({ pod }) => isCounted(pod));
  return {
    all: counted.length,
    byDriver: tallyOf(counted.flatMap(({ devices }) => [...new Set(devices.map(({ driver }) => driver))])),
    byClass: countClasses(counted, snapshot),
    byNode: tallyOf(consumers.flatMap(({ pod }) => pod.nodeName || [])),
    byWorkload: tallyOf(consumers.flatMap(({ pod }) => pod.controller?.uid ?? [])),
    byPool: tallyOf(consumers.flatMap(({ devices }) => [...new Set(devices.map(poolOf))])),
  };
}

export const emptyCensus: Census = {
  all: 0,
  byDriver: new Map(),
  byClass: new Map(),
  byNode: new Map(),
  byWorkload: new Map(),
  byPool: new Map(),
};

/** The sum of two censuses of different pods. */
export function addCensus(a: Census, b: Census): Census {
  return {
    all: a.all + b.all,
    byDriver: addTallies(a.byDriver, b.byDriver),
    byClass: addTallies(a.byClass, b.byClass),
    byNode: addTallies(a.byNode, b.byNode),
    byWorkload: addTallies(a.byWorkload, b.byWorkload),
    byPool: addTallies(a.byPool, b.byPool),
  };
}

export function addTallies(
  a: ReadonlyMap<string, number>,
  b: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const sum = new Map(a);
  for (const [name, pods] of b) sum.set(name, (sum.get(name) ?? 0) + pods);
  return sum;
}

function poolOf({ driver, pool }: AllocatedDevice): string {
  return poolKey(driver, pool);
}

function countClasses(consumers: readonly Consumer[], snapshot: Snapshot): ReadonlyMap<string, number> {
  const named = new Set(snapshot.rules.map(({ deviceSelector }) => deviceSelector?.deviceClassName));
  const classes = [...(snapshot.classes ?? new Map<string, readonly string[]>())].filter(([name]) => named.has(name));
  return new Map(
    classes.map(([deviceClassName, deviceClass]) => {
      const selecting: Selecting = { deviceSelector: { deviceClassName }, deviceClass };
      const uses = ({ devices }: Consumer) =>
        devices.some((device) => matchDevice(selecting, device, snapshot).kind === 'Selected');
      return [deviceClassName, consumers.filter(uses).length];
    }),
  );
}

function tallyOf(names: readonly string[]): ReadonlyMap<string, number> {
  const tally = new Map<string, number>();
  for (const name of names) tally.set(name, (tally.get(name) ?? 0) + 1);
  return tally;
}

/** The base of a rule's percentage, and a description of what these pods use. */
export interface Consumers {
  readonly pods: number;
  readonly using: string;
}

/** By the rule's DeviceClass, else its driver, else any device. A class that was not counted has no consumers. */
export function consumersFor({ deviceSelector = {} }: Pick<TaintRule, 'deviceSelector'>, census: Census): Consumers {
  const { deviceClassName, driver } = deviceSelector;
  if (deviceClassName !== undefined)
    return { pods: census.byClass.get(deviceClassName) ?? 0, using: `DeviceClass ${deviceClassName}` };
  return driver === undefined
    ? { pods: census.all, using: 'any device' }
    : { pods: census.byDriver.get(driver) ?? 0, using: `driver ${driver}` };
}

/** Rounded up and at least 1, so that a small fleet makes progress. */
export function percentOf(percent: number, pods: number): number {
  return Math.max(1, Math.ceil((percent * pods) / 100));
}
