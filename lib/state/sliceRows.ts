// ResourceSlices and DeviceTaintSlices by pool, with the evaluations that an unfinished fan-out owes.
import type { ResourceSlice } from '../model/objects.ts';
import type { DeviceTaintSlice } from '../model/taintSlice.ts';
import { queryAll, queryPages, type Row } from '../table.ts';
import { poolOfSliceKey, shardOf, shards, sliceKey, slicePartition, sliceRowKey, taintSliceKey } from './keys.ts';
import { replaceObject } from './replaceObject.ts';
import {
  type DirtyRow,
  isLive,
  type ObjectRow,
  readKnown,
  readObjectRow,
  type State,
  type Stored,
  type Storing,
} from './state.ts';

/**
 * Devices whose pods must be evaluated; `*`: the whole pool, because its newest generation changed; `+`: the whole pool as well,
 * where only this first version of the slice was ever stored.
 */
export type DirtyDevices = readonly string[] | '*' | '+';

export type SliceRow = DirtyRow<ResourceSlice, DirtyDevices>;

export async function storeSlice(state: State, slice: ResourceSlice, options: Storing): Promise<Stored<SliceRow>> {
  const key = sliceKey(slice);
  return replaceObject<ResourceSlice, DirtyDevices>(state, {
    rowKey: sliceRowKey(state.cluster, key),
    key,
    object: slice,
    ...options,
    dirty: (before, known) =>
      known?.mirror === 'Expected' || options.refused || before?.refused
        ? '*'
        : known === undefined && options.gone === undefined
          ? ofFirstSight(slice)
          : mergeDirty(before?.dirty, dirtyBy(before, options.gone === undefined ? slice : undefined)),
  });
}

function ofFirstSight(slice: ResourceSlice): DirtyDevices {
  if (slice.devices.some(({ taints }) => taints !== undefined)) return '*';
  return contentsOf(slice).size > 0 ? '+' : [];
}

export async function readSlice(state: State, key: string): Promise<ObjectRow<ResourceSlice> | undefined> {
  return readObjectRow(await state.table.get(sliceRowKey(state.cluster, key)), key);
}

export type TaintSliceRow = DirtyRow<DeviceTaintSlice, DirtyDevices>;

/** `dirty`: devices with entries in the old or new version; the whole pool where the slice was expected, and so unknown. */
export async function storeTaintSlice(
  state: State,
  slice: DeviceTaintSlice,
  options: Storing,
): Promise<Stored<TaintSliceRow>> {
  const key = taintSliceKey(slice);
  const next = options.gone === undefined ? [slice] : [];
  return replaceObject<DeviceTaintSlice, DirtyDevices>(state, {
    rowKey: sliceRowKey(state.cluster, key),
    key,
    object: slice,
    ...options,
    dirty: (before, known) => {
      if (known?.mirror === 'Expected') return '*';
      const stored = before && !before.gone ? [before.object] : [];
      return mergeDirty(
        before?.dirty,
        [...stored, ...next].flatMap(({ taints }) => taints.map(({ device }) => device)),
      );
    },
  });
}

export interface PoolRows {
  /** By `driver|pool`: why the pool's content is unknown. */
  readonly unknown: ReadonlyMap<string, string>;
  readonly slices: readonly ResourceSlice[];
  readonly taintSlices: readonly DeviceTaintSlice[];
}

/** The slices of some pools, each `driver|pool`. */
export async function readPools(state: State, pools: readonly string[]): Promise<PoolRows> {
  return poolRowsOf(await readRowsOfPools(state, pools));
}

/** Every pool with slices of either kind, a few whole pools at a time. */
export async function* publishedPages(state: State): AsyncGenerator<PoolRows> {
  for (const shard of shards) {
    let open: readonly Row[] = [];
    for await (const rows of queryPages(state.table, { pk: slicePartition(state.cluster, shard) })) {
      const all = [...open, ...rows];
      const last = poolOfSliceKey(all.at(-1)?.sk ?? '');
      const isLast = ({ sk }: Row) => poolOfSliceKey(sk) === last;
      const whole = all.filter((row) => !isLast(row));
      if (whole.length > 0) yield poolRowsOf(whole);
      open = all.filter(isLast);
    }
    if (open.length > 0) yield poolRowsOf(open);
  }
}

/** The rows of slices of both kinds in some pools, including tombstones. */
export async function readPoolRows(
  state: State,
  pools: readonly string[],
): Promise<readonly ObjectRow<ResourceSlice | DeviceTaintSlice>[]> {
  const rows = await readRowsOfPools(state, pools);
  return rows.flatMap((row) => readObjectRow<ResourceSlice | DeviceTaintSlice>(row, row.sk) ?? []);
}

/** The raw rows. */
export async function readRowsOfPools(state: State, pools: readonly string[]): Promise<readonly Row[]> {
  const pages = await Promise.all(
    [...new Set(pools)].map((pool) =>
      queryAll(state.table, { pk: slicePartition(state.cluster, shardOf(pool)), prefix: `${pool}|` }),
    ),
  );
  return pages.flat().filter((row) => pools.includes(poolOfSliceKey(row.sk)));
}

/** Splits rows by kind; an expected slice makes its pool unknown. */
export function poolRowsOf(rows: readonly Row[]): PoolRows {
  const expected = rows.filter((row) => readKnown(row)?.mirror === 'Expected');
  const found = rows.flatMap((row) => readObjectRow<ResourceSlice | DeviceTaintSlice>(row, row.sk) ?? []);
  const refused = found.filter((row) => row.refused && isLive(row));
  const unknown = new Map([
    ...expected.map(({ sk }) => [poolOfSliceKey(sk), `slice ${sk} is being requested`] as const),
    ...refused.map(({ key }) => [poolOfSliceKey(key), `slice ${key} is too large to be kept`] as const),
  ]);
  return { unknown, ...byKind(found.filter(isLive).map((row) => row.object)) };
}

function byKind(objects: readonly (ResourceSlice | DeviceTaintSlice)[]): Omit<PoolRows, 'unknown'> {
  return {
    slices: objects.filter((object) => object.kind === 'ResourceSlice'),
    taintSlices: objects.filter((object) => object.kind === 'DeviceTaintSlice'),
  };
}

/** Devices that differ in what a rule may read; a first version, a deletion or a new generation concerns the whole pool. */
function dirtyBy(stored: ObjectRow<ResourceSlice> | undefined, next: ResourceSlice | undefined): DirtyDevices {
  if (!stored || !isLive(stored) || !next || stored.object.pool.generation !== next.pool.generation) {
    const tainted = [stored?.gone ? undefined : stored?.object, next].some(
      (slice) => slice && contentsOf(slice).size > 0,
    );
    const published = stored && !stored.gone;
    return tainted || published ? '*' : [];
  }
  const [before, after] = [contentsOf(stored.object), contentsOf(next)];
  return [...new Set([...before.keys(), ...after.keys()])].filter((name) => before.get(name) !== after.get(name));
}

/** Devices with more than a name in the slice. */
function contentsOf(slice: ResourceSlice): ReadonlyMap<string, string> {
  return new Map(
    slice.devices.flatMap(({ name, ...content }) =>
      Object.keys(content).length > 0 ? [[name, JSON.stringify(content)] as const] : [],
    ),
  );
}

function mergeDirty(a: DirtyDevices | undefined, b: DirtyDevices): DirtyDevices {
  if (a === '*' || b === '*') return '*';
  if (a === '+' || b === '+') return b.length === 0 ? '+' : '*';
  return [...new Set([...(a ?? []), ...b])];
}
