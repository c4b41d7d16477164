// What an eviction rested on besides its reasons, as it was at that moment: the pace, the policy, the devices.
import type { LimiterId, Rate } from '../model/eviction.ts';
import { type DeviceId, deviceKey, poolKey } from '../model/identity.ts';
import type { Device } from '../model/objects.ts';
import { ruleLimiter } from '../model/rule.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Instant } from '../model/time.ts';
import type { Reason } from '../model/verdict.ts';
import { rateOf } from './rate.ts';

export interface Grounds {
  /** Of the limiter whose slot is used. */
  readonly rate: Rate;
  /** Name of the EvictionPolicy that was for its taint; absent where none was, and for taints in slices. */
  readonly policy?: string;
  /** Devices of the reasons as published then; one whose slice is unknown, or that has no attributes, is left out. */
  readonly devices: readonly (DeviceId & { readonly attributes: NonNullable<Device['attributes']> })[];
}

/** A record stays far below what a row may hold, however many devices a pod uses. */
const devicesKept = 3;

export function groundsOf(by: {
  readonly limiter: LimiterId;
  readonly because: readonly Reason[];
  readonly snapshot: Snapshot;
  readonly now: Instant;
}): Grounds {
  const { limiter, because, snapshot, now } = by;
  const policy = snapshot.rules.find((rule) => limiter === ruleLimiter(rule))?.policy?.name;
  const ids = new Map(because.map(({ device }) => [deviceKey(device), device]));
  const devices = [...ids.values()].slice(0, devicesKept).flatMap((id) => {
    const published = snapshot.pools.get(poolKey(id.driver, id.pool))?.published.get(id.device);
    const attributes = published === 'Twice' ? undefined : published?.attributes;
    return attributes ? [{ ...id, attributes }] : [];
  });
  return { rate: rateOf(limiter, snapshot, now), devices, ...(policy === undefined ? {} : { policy }) };
}
