// When pods of an owner were evicted from a device, kept for the window of the policy.
import type { Rounds } from '../gates/gate.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import { absent, compare, type Write } from '../table.ts';
import { loopKey } from './keys.ts';
import type { State } from './state.ts';

/** One entry per device, in the given order; empty without a row. `owner`: see `ownerOf`. */
export async function readRounds(state: State, owner: string, devices: readonly string[]): Promise<readonly Rounds[]> {
  const rows = await state.table.getMany(devices.map((device) => loopKey(state.cluster, owner, device)));
  const found = new Map(rows.map((row) => [row.sk, row]));
  return devices.map((device) => {
    const row = found.get(device);
    const times = (row?.times as readonly Instant[] | undefined) ?? [];
    return { device, times, ver: (row?.ver as number | undefined) ?? 0 };
  });
}

/** Added to the TTL; DynamoDB deletes expired rows within days, not at once. */
const sparedSeconds = 3600;

/** Must be in the transaction that writes the intent: of two evictors with the same version, one must read again. */
export function countRound(
  state: State,
  owner: string,
  by: Rounds & { readonly window: Milliseconds; readonly now: Instant },
): Write {
  const { device, times, ver, window, now } = by;
  const ttl = Math.floor((now + window) / 1000) + sparedSeconds;
  return {
    kind: 'Update',
    key: loopKey(state.cluster, owner, device),
    change: { set: { times, ttl }, add: { ver: 1 } },
    when: ver === 0 ? absent('ver') : compare('ver', '=', ver),
  };
}
