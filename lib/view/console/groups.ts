// Devices of a fleet by node, driver, pool, class or team, with how many are in which state; pure.
import { compareText } from '../../model/snapshot.ts';
import { type DeviceState, deviceStates, type FleetDevice } from './fleet.ts';

export const groupings = ['node', 'driver', 'pool', 'class', 'team'] as const;
export type Grouping = (typeof groupings)[number];

export type StateCounts = Readonly<Record<DeviceState, number>>;

export interface DeviceGroup {
  /** Empty for devices that belong to none: free devices have no team. */
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

/** By name, numbers in names as numbers; devices without a group come last. */
export function groupsOf(devices: readonly FleetDevice[], by: Grouping): readonly DeviceGroup[] {
  return [...Map.groupBy(devices, (device) => nameOf(device, by))]
    .map(([name, members]) => ({ name, devices: members, counts: countStates(members) }))
    .sort((a, b) => Number(a.name === '') - Number(b.name === '') || compareNames(a.name, b.name));
}

const byNumber = new Intl.Collator('en', { numeric: true });

function compareNames(a: string, b: string): number {
  return byNumber.compare(a, b) || compareText(a, b);
}

export function countStates(devices: readonly FleetDevice[]): StateCounts {
  const counts = { Evicting: 0, Held: 0, Unknown: 0, Tainted: 0, InUse: 0, Free: 0 };
  for (const { state } of devices) counts[state] += 1;
  return counts;
}

/** At most `limit` marks: of neighbouring devices the most urgent state counts. */
export function marksOf(
  devices: readonly FleetDevice[],
  limit: number,
): { readonly marks: readonly DeviceState[]; readonly each: number } {
  const each = Math.max(1, Math.ceil(devices.length / limit));
  if (each === 1) return { marks: devices.map(({ state }) => state), each };
  const marks = Array.from({ length: Math.ceil(devices.length / each) }, (_, i) => {
    const own = new Set(devices.slice(i * each, (i + 1) * each).map(({ state }) => state));
    return deviceStates.find((one) => own.has(one)) ?? 'Unknown';
  });
  return { marks, each };
}
