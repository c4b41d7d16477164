// Which pods use the devices that a selector or a slice concerns, found through the indexes, page by page.

import { poolKey } from '../model/identity.ts';
import type { DeviceTaintSelector } from '../model/objects.ts';
import type { RowRange } from '../table.ts';
import { podsOfClaim } from './claimRows.ts';
import { allocationPartition, shardOf, shards } from './keys.ts';
import type { State } from './state.ts';

const pageSize = 500;

/** Batches of `namespace/name` of pods that reference a claim with a selected device; a pod may come up twice. */
export async function* podsUsing(state: State, selector: DeviceTaintSelector): AsyncGenerator<readonly string[]> {
  for (const range of rangesOf(state, selector)) {
    for await (const claims of claimsIn(state, range, selector)) {
      const pods = await Promise.all(claims.map((claim) => podsOfClaim(state, claim)));
      yield [...new Set(pods.flat())];
    }
  }
}

/** One range where driver and pool are known, else one per shard, narrowed by the driver where there is one. */
export function rangesOf(state: State, selector: DeviceTaintSelector): readonly RowRange[] {
  const { driver, pool, device } = selector;
  if (driver !== undefined && pool !== undefined) {
    const key = poolKey(driver, pool);
    const prefix = device === undefined ? `${key}|` : `${key}|${device}|`;
    return [{ pk: allocationPartition(state.cluster, shardOf(key)), prefix }];
  }
  return shards.map((shard) => {
    const pk = allocationPartition(state.cluster, shard);
    return driver === undefined ? { pk } : { pk, prefix: `${driver}|` };
  });
}

async function* claimsIn(
  state: State,
  range: RowRange,
  selector: DeviceTaintSelector,
): AsyncGenerator<readonly string[]> {
  let after: string | undefined;
  do {
    const page = await state.table.query({ ...range, limit: pageSize, ...(after === undefined ? {} : { after }) });
    const claims = page.rows.filter((row) => matches(row.sk, selector)).map((row) => row.claim as string);
    if (claims.length > 0) yield [...new Set(claims)];
    after = page.next;
  } while (after !== undefined);
}

function matches(sk: string, selector: DeviceTaintSelector): boolean {
  const [driver, pool, device] = sk.split('|');
  const same = (wanted: string | undefined, actual: string | undefined) => wanted === undefined || wanted === actual;
  return same(selector.driver, driver) && same(selector.pool, pool) && same(selector.device, device);
}
