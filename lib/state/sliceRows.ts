// ResourceSlices by pool, with what an unfinished fan-out still owes to the devices they publish.
import type { ResourceSlice } from '../model/objects.ts';
import type { Instant } from '../model/time.ts';
import { queryAll } from '../table.ts';
import { poolOfSliceKey, shardOf, sliceKey, slicePartition, sliceRowKey } from './keys.ts';
import {
  type DirtyRow,
  type ObjectRow,
  readObjectRow,
  replaceObject,
  type Seen,
  type State,
  type Stored,
} from './state.ts';

/** Devices whose pods are to be evaluated again; `*` is the whole pool, because its newest generation moved. */
export type DirtyDevices = readonly string[] | '*';

export type SliceRow = DirtyRow<ResourceSlice, DirtyDevices>;

export async function storeSlice(
  state: State,
  slice: ResourceSlice,
  options: { readonly seen: Seen; readonly gone?: Instant },
): Promise<Stored<SliceRow>> {
  const key = sliceKey(slice);
  return replaceObject<ResourceSlice, DirtyDevices>(state, {
    rowKey: sliceRowKey(state.cluster, key),
    key,
    object: slice,
    ...options,
    dirty: (before) => mergeDirty(before?.dirty, dirtyBy(before, options.gone === undefined ? slice : undefined)),
  });
}

export async function readSlice(state: State, key: string): Promise<ObjectRow<ResourceSlice> | undefined> {
  return readObjectRow(await state.table.get(sliceRowKey(state.cluster, key)), key);
}

/** Live slices of pools, each `driver|pool`; `ver` lets a reader notice that one moved between two reads. */
export async function readPools(state: State, pools: readonly string[]): Promise<readonly ObjectRow<ResourceSlice>[]> {
  const pages = await Promise.all(
    [...new Set(pools)].map((pool) =>
      queryAll(state.table, { pk: slicePartition(state.cluster, shardOf(pool)), prefix: `${pool}|` }),
    ),
  );
  const rows = pages.flat().flatMap((row) => readObjectRow<ResourceSlice>(row, row.sk) ?? []);
  return rows.filter((row) => !row.gone && pools.includes(poolOfSliceKey(row.key)));
}

/** Which devices differ in what a rule may read of them; a first sight, a deletion or a new generation concerns the whole pool. */
function dirtyBy(stored: ObjectRow<ResourceSlice> | undefined, next: ResourceSlice | undefined): DirtyDevices {
  if (!stored || stored.gone || !next || stored.object.pool.generation !== next.pool.generation) {
    const tainted = [stored?.gone ? undefined : stored?.object, next].some(
      (slice) => slice && contentsOf(slice).size > 0,
    );
    const published = stored && !stored.gone;
    return tainted || published ? '*' : [];
  }
  const [before, after] = [contentsOf(stored.object), contentsOf(next)];
  return [...new Set([...before.keys(), ...after.keys()])].filter((name) => before.get(name) !== after.get(name));
}

/** Devices about which a slice says more than that they are there. */
function contentsOf(slice: ResourceSlice): ReadonlyMap<string, string> {
  return new Map(
    slice.devices.flatMap(({ name, ...content }) =>
      Object.keys(content).length > 0 ? [[name, JSON.stringify(content)] as const] : [],
    ),
  );
}

function mergeDirty(a: DirtyDevices | undefined, b: DirtyDevices): DirtyDevices {
  if (a === '*' || b === '*') return '*';
  return [...new Set([...(a ?? []), ...b])];
}
