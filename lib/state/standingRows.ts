// When the taints of slices came and continued each device: written when slices are, read where a policy asks for it.
import { presentTaints, standingAfter } from '../decide/standing.ts';
import { type DeviceId, deviceKey, poolKey } from '../model/identity.ts';
import type { StandingTaint, StandingTaints } from '../model/standing.ts';
import type { Instant } from '../model/time.ts';
import { absent, compare, queryAll, queryPages, type Row } from '../table.ts';
import { shardOf, shards, standingPartition, standingRowKey } from './keys.ts';
import { type PoolRows, readPools } from './sliceRows.ts';
import type { State } from './state.ts';

/** A row on which nothing stands is of use for as long as a policy may ask back; then it goes. */
const forgottenAfterSeconds = 25 * 3600;

const attempts = 8;
const parallelWrites = 8;

/**
 * Compares what lies in a pool with what was seen there before, and writes down what moved. It reads again after it has written,
 * so that of two handlers the later one leaves the truth. Answers the devices whose taints moved, each `driver|pool|device`.
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

/** A lost race is found by the next look. */
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

/** Of some devices. */
export async function readStanding(state: State, devices: readonly DeviceId[]): Promise<StandingTaints> {
  const keys = new Map(
    devices.map((id) => [deviceKey(id), standingRowKey(state.cluster, poolKey(id.driver, id.pool), deviceKey(id))]),
  );
  const rows = await state.table.getMany([...keys.values()]);
  return new Map(rows.map((row) => [row.sk, seenIn(row)]));
}

/** Of a whole cluster, a page at a time; no more is held than what `isOf` keeps. */
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
