// Devices as last published, for rules that read attributes of devices that no slice publishes now.
import { readsProperties } from '../decide/deviceMatch.ts';
import { versionText } from '../mirror/order.ts';
import { type DeviceId, deviceKey, poolKey } from '../model/identity.ts';
import type { Device, DeviceProperties, ResourceSlice } from '../model/objects.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Instant } from '../model/time.ts';
import { absent, any, compare, type Row } from '../table.ts';
import { deviceRowKey, sliceKey } from './keys.ts';
import { readSlice } from './sliceRows.ts';
import type { Seen, State, Storing } from './state.ts';

/** Retention: claims outlive slices by days, not by months. */
const rememberedSeconds = 90 * 24 * 3600;

/** Maximum parallel writes. */
const parallelWrites = 8;

/**
 * Stores the devices that a slice is about to stop publishing, before the slice is stored. If the handler is interrupted in
 * between, the stored devices are never read, since published devices take precedence.
 */
export async function rememberDevices(state: State, slice: ResourceSlice, by: Storing): Promise<void> {
  const before = await readSlice(state, sliceKey(slice));
  if (!before || before.gone || before.at > versionText(by.seen.resourceVersion)) return;
  const published = new Set(by.gone !== undefined ? [] : slice.devices.map(({ name }) => name));
  const lost = before.object.devices.filter((device) => !published.has(device.name) && hasProperties(device));
  for (let at = 0; at < lost.length; at += parallelWrites) {
    await Promise.all(lost.slice(at, at + parallelWrites).map((device) => remember(state, { slice, device, ...by })));
  }
}

function hasProperties({ attributes, capacity, allowMultipleAllocations }: DeviceProperties): boolean {
  return attributes !== undefined || capacity !== undefined || allowMultipleAllocations !== undefined;
}

async function remember(
  state: State,
  by: { readonly slice: ResourceSlice; readonly device: Device; readonly seen: Seen; readonly now: Instant },
): Promise<void> {
  const { taints: _, ...device } = by.device;
  const id = { driver: by.slice.driver, pool: by.slice.pool.name, device: device.name };
  const rv = versionText(by.seen.resourceVersion);
  const set = { device, rv, seenAt: by.now, ttl: Math.floor(by.now / 1000) + rememberedSeconds };
  const when = any(absent('rv'), compare('rv', '<=', rv));
  await state.table.write({ kind: 'Update', key: deviceRowKey(state.cluster, id), change: { set }, when });
}

/** Whether any rule selects by device properties; if not, nothing is read. */
function asksForProperties({ rules }: Snapshot): boolean {
  return rules.some(({ deviceSelector }) => deviceSelector && readsProperties(deviceSelector));
}

/** The allocated devices in a snapshot that no slice publishes, as last published. */
export async function readRemembered(state: State, snapshot: Snapshot): Promise<ReadonlyMap<string, Device>> {
  if (!asksForProperties(snapshot)) return new Map();
  const wanted = new Map<string, DeviceId>();
  for (const { allocation } of snapshot.claims.values()) {
    for (const { driver, pool, device } of allocation?.devices ?? []) {
      const isPublished = snapshot.pools.get(poolKey(driver, pool))?.devices.has(device);
      if (!isPublished) wanted.set(deviceKey({ driver, pool, device }), { driver, pool, device });
    }
  }
  const rows = await state.table.getMany([...wanted.values()].map((id) => deviceRowKey(state.cluster, id)));
  return byKey(rows);
}

function byKey(rows: readonly Row[]): ReadonlyMap<string, Device> {
  return new Map(rows.map((row) => [row.sk, row.device as Device]));
}
