// Groups devices by node, driver, pool, class or team with counts per state; recounts only changed pools.
import { compareText } from '../../model/snapshot.ts';
import { type DeviceState, deviceStates, type Fleet, type FleetDevice } from './fleet.ts';

export const groupings = ['node', 'driver', 'pool', 'class', 'team'] as const;
export type Grouping = (typeof groupings)[number];

export type StateCounts = Readonly<Record<DeviceState, number>>;

export interface DeviceGroup {
  /** Empty for devices without a group, such as free devices, which have no team. */
  readonly name: string;
  readonly devices: readonly FleetDevice[];
  readonly counts: StateCounts;
}

export function parseGrouping(text: string | undefined): Grouping {
  return groupings.find((one) => one === text) ?? 'node';
}

function nameOf(device: FleetDevice, by: Grouping): string {
  switch (by) {
    case 'node':
      return device.node;
    case 'driver':
      return device.driver;
    case 'pool':
      return `${device.driver}/${device.pool}`;
    case 'class':
      return device.className;
    case 'team':
      return device.team;
    default:
      return by satisfies never;
  }
}

/** Sorted by name with numeric order; devices without a group come last. */
export type GroupReader = (fleet: Fleet, by: Grouping) => readonly DeviceGroup[];

export function createGroupReader(): GroupReader {
  const readers = new Map<Grouping, (fleet: Fleet) => readonly DeviceGroup[]>();
  return (fleet, by) => {
    const read = readers.get(by) ?? readerOf(by);
    readers.set(by, read);
    return read(fleet);
  };
}

function readerOf(by: Grouping): (fleet: Fleet) => readonly DeviceGroup[] {
  const partsOfPool = new WeakMap<readonly FleetDevice[], readonly DeviceGroup[]>();
  let last: { readonly fleet: Fleet; readonly groups: readonly DeviceGroup[] } | undefined;
  const partsOf = (pool: readonly FleetDevice[]) => {
    const parts =
      partsOfPool.get(pool) ?? [...Map.groupBy(pool, (one) => nameOf(one, by))].map(([name, own]) => group(name, own));
    partsOfPool.set(pool, parts);
    return parts;
  };
  return (fleet) => {
    if (last?.fleet === fleet) return last.groups;
    const byName = new Map<string, DeviceGroup[]>();
    for (const pool of fleet)
      for (const part of partsOf(pool)) {
        const parts = byName.get(part.name);
        if (parts) parts.push(part);
        else byName.set(part.name, [part]);
      }
    const before = last?.groups ?? [];
    const hasSameNames = before.length === byName.size && before.every(({ name }) => byName.has(name));
    const names = hasSameNames ? before.map(({ name }) => name) : [...byName.keys()].sort(compareNames);
    last = { fleet, groups: names.map((name) => merge(name, byName.get(name) ?? [])) };
    return last.groups;
  };
}

function group(name: string, devices: readonly FleetDevice[]): DeviceGroup {
  return { name, devices, counts: countStates(devices) };
}

function merge(name: string, parts: readonly DeviceGroup[]): DeviceGroup {
  const [first, ...rest] = parts;
  if (first && rest.length === 0) return first;
  return { name, devices: parts.flatMap(({ devices }) => devices), counts: sumOf(parts) };
}

const byNumber = new Intl.Collator('en', { numeric: true });

function compareNames(a: string, b: string): number {
  return Number(a === '') - Number(b === '') || byNumber.compare(a, b) || compareText(a, b);
}

function none(): Record<DeviceState, number> {
  return { Evicting: 0, Held: 0, Unknown: 0, Tainted: 0, InUse: 0, Free: 0 };
}

export function countStates(devices: readonly FleetDevice[]): StateCounts {
  const counts = none();
  for (const { state } of devices) counts[state] += 1;
  return counts;
}

export function sumOf(groups: readonly DeviceGroup[]): StateCounts {
  const sum = none();
  for (const { counts } of groups) for (const state of deviceStates) sum[state] += counts[state];
  return sum;
}

/** At most `limit` marks; a mark for several neighbouring devices shows their most urgent state. */
export function marksOf(
  devices: readonly FleetDevice[],
  limit: number,
): { readonly marks: readonly DeviceState[]; readonly each: number } {
  const each = Math.max(1, Math.ceil(devices.length / limit));
  const marks: DeviceState[] = [];
  let i = 0;
  for (const { state } of devices) {
    const place = Math.floor(i++ / each);
    const before = marks[place];
    if (before === undefined || urgency[state] < urgency[before]) marks[place] = state;
  }
  return { marks, each };
}

const urgency = Object.fromEntries(deviceStates.map((state, i) => [state, i])) as Record<DeviceState, number>;
