// Since when each device has its slice taints: written with the slices, read where a policy needs it.
import { presentTaints, standingAfter } from '../decide/standing.ts';
import { type DeviceId, deviceKey, poolKey } from '../model/identity.ts';
import type { StandingTaint, StandingTaints } from '../model/standing.ts';
import type { Instant } from '../model/time.ts';
import { absent, compare, queryAll, queryPages, type Row } from '../table.ts';
import { shardOf, shards, standingPartition, standingRowKey } from './keys.ts';
import { type PoolRows, readPools } from './sliceRows.ts';
import type { State } from './state.ts';

/** A row without current taints is kept as long as a policy may need it. */
const forgottenAfterSeconds = 25 * 3600;

const attempts = 8;
const parallelWrites = 8;

/**
 * Compares the taints in a pool with those stored, and writes the changes. Reads again after each write, so that of two
 * concurrent handlers the later one leaves the correct rows. Returns the devices that changed, each `driver|pool|device`.
 */
export async function noteStanding(state: State, pool: string, now: Instant): Promise<readonly string[]> {
  const moved = new Set<string>();
  for (let attempt = 0; attempt < attempts; attempt++) {
    const known = await readRows(state, pool);
    const changes = changesOf(known, { rows: await readPools(state, [pool]), now });
    if (changes.length === 0) return [...moved];
    for (let at = 0; at < changes.length; at += parallelWrites)
      await Promise.all(changes.slice(at, at + parallelWrites).map((one) => write(state, { ...one, pool, now })));
    for (const { device } of changes) moved.add(device);
  }
  throw new Error(`pool ${pool}: its taints moved under ${attempts} looks at them; the message is retried`);
}

interface Known {
  readonly seen: readonly StandingTaint[];
  readonly ver: number;
}

interface Change extends Known {
  readonly device: string;
}

function changesOf(
  known: ReadonlyMap<string, Known>,
  { rows, now }: { readonly rows: PoolRows; readonly now: Instant },
): readonly Change[] {
  const present = presentTaints(rows);
  return [...new Set([...known.keys(), ...present.keys()])].flatMap((device) => {
    const { seen, ver } = known.get(device) ?? { seen: [], ver: 0 };
    const after = standingAfter(seen, present.get(device) ?? [], now);
    return after ? [{ device, seen: after, ver }] : [];
  });
}

/** The next read detects a lost race. */
async function write(state: State, by: Change & { readonly pool: string; readonly now: Instant }): Promise<void> {
  const { device, seen, ver, pool, now } = by;
  const isOver = seen.every(({ liftedAt }) => liftedAt !== undefined);
  const set = { seen, ...(isOver ? { ttl: Math.floor(now / 1000) + forgottenAfterSeconds } : {}) };
  await state.table.write({
    kind: 'Update',
    key: standingRowKey(state.cluster, pool, device),
    change: { set, add: { ver: 1 }, ...(isOver ? {} : { remove: ['ttl'] }) },
    when: ver === 0 ? absent('ver') : compare('ver', '=', ver),
  });
}

async function readRows(state: State, pool: string): Promise<ReadonlyMap<string, Known>> {
  const range = { pk: standingPartition(state.cluster, shardOf(pool)), prefix: `${pool}|` };
  const rows = await queryAll(state.table, range);
  return new Map(rows.map((row) => [row.sk, { seen: seenIn(row), ver: (row.ver as number | undefined) ?? 0 }]));
}

/** Reads the rows of some devices. */
export async function readStanding(state: State, devices: readonly DeviceId[]): Promise<StandingTaints> {
  const keys = new Map(
    devices.map((id) => [deviceKey(id), standingRowKey(state.cluster, poolKey(id.driver, id.pool), deviceKey(id))]),
  );
  const rows = await state.table.getMany([...keys.values()]);
  return new Map(rows.map((row) => [row.sk, seenIn(row)]));
}

/** Reads the whole cluster page by page; holds only the rows that `isOf` accepts. */
export async function readAllStanding(
  state: State,
  isOf: (device: string, seen: readonly StandingTaint[]) => boolean = () => true,
): Promise<StandingTaints> {
  const found = new Map<string, readonly StandingTaint[]>();
  const read = async (shard: number) => {
    for await (const rows of queryPages(state.table, { pk: standingPartition(state.cluster, shard) }))
      for (const row of rows) if (isOf(row.sk, seenIn(row))) found.set(row.sk, seenIn(row));
  };
  await Promise.all(shards.map(read));
  return found;
}

function seenIn(row: Row): readonly StandingTaint[] {
  return (row.seen as readonly StandingTaint[] | undefined) ?? [];
}
