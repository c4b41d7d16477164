// Places in the bins of a cluster's limit, taken in one transaction with the slots of the limiter that needs them.
import { type Bins, binAt, binsOf, type Placement, placeSlots } from '../decide/clusterLimit.ts';
import type { LimiterId, Rate } from '../model/eviction.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import { absent, compare, type Row, type Write } from '../table.ts';
import { bucketKey, clusterLimitKey } from './keys.ts';
import type { State } from './state.ts';

/** Bins of one row. */
const binsPerRow = 32;

/** Bins and buckets that nobody asked for so long are as good as new. */
const idleSeconds = 24 * 3600;

/** Lost races of one call; each means that another limiter, or another pacer of this one, took slots. */
const attempts = 16;

export interface LimitedRequest {
  readonly rate: Rate;
  /** Of the whole cluster, evictions per second. */
  readonly limit: number;
  readonly now: Instant;
  readonly wanted: number;
  readonly horizon: Milliseconds;
}

/** Either both schedules move or none does, so that no slot is lost to a crash and none is given twice. */
export async function reserveLimited(
  state: State,
  limiter: LimiterId,
  request: LimitedRequest,
): Promise<readonly Instant[]> {
  const bins = binsOf(request.limit);
  if (!bins) return [];
  for (let attempt = 0; attempt < attempts; attempt++) {
    const [bucket, rows] = await Promise.all([
      state.table.get(bucketKey(state.cluster, limiter)),
      readBins(state, bins, request),
    ]);
    const seen = bucket?.tat as number | undefined;
    const taken = (bin: number) => takenOf(rows.get(rowOf(bin)))[bin - rowOf(bin) * binsPerRow] ?? 0;
    const placement = placeSlots(seen, { ...request, bins, taken });
    if (placement.slots.length === 0) return [];
    const writes = [
      bucketWrite(state, limiter, { seen, placement, request }),
      ...binWrites(state, { bins, rows, placement }),
    ];
    if ((await state.table.transact(writes)).kind === 'Written') return placement.slots;
  }
  return [];
}

function rowOf(bin: number): number {
  return Math.floor(bin / binsPerRow);
}

async function readBins(state: State, bins: Bins, { now, horizon }: LimitedRequest): Promise<ReadonlyMap<number, Row>> {
  const [first, last] = [rowOf(binAt(bins, now)), rowOf(binAt(bins, now + horizon))];
  const numbers = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  const found = await state.table.getMany(numbers.map((row) => clusterLimitKey(state.cluster, bins, row)));
  const bySortKey = new Map(found.map((row) => [row.sk, row]));
  return new Map(
    numbers.flatMap((row): [number, Row][] => {
      const stored = bySortKey.get(clusterLimitKey(state.cluster, bins, row).sk);
      return stored ? [[row, stored]] : [];
    }),
  );
}

function takenOf(row: Row | undefined): readonly number[] {
  return (row?.taken as readonly number[] | undefined) ?? [];
}

function bucketWrite(
  state: State,
  limiter: LimiterId,
  by: { readonly seen: number | undefined; readonly placement: Placement; readonly request: LimitedRequest },
): Write {
  const { seen, placement } = by;
  const ttl = Math.ceil((placement.tat ?? 0) / 1_000_000) + idleSeconds;
  return {
    kind: 'Update',
    key: bucketKey(state.cluster, limiter),
    change: { set: { tat: placement.tat, ttl } },
    when: seen === undefined ? absent('tat') : compare('tat', '=', seen),
  };
}

function binWrites(
  state: State,
  { bins, rows, placement }: { bins: Bins; rows: ReadonlyMap<number, Row>; placement: Placement },
): readonly Write[] {
  const touched = [...new Set([...placement.places.keys()].map(rowOf))];
  return touched.map((number) => {
    const row = rows.get(number);
    const before = takenOf(row);
    const taken = Array.from({ length: binsPerRow }, (_, i) => {
      const bin = number * binsPerRow + i;
      return (before[i] ?? 0) + (placement.places.get(bin) ?? 0);
    });
    const ver = row?.ver as number | undefined;
    const ttl = Math.ceil(((number + 1) * binsPerRow * bins.length) / 1000) + idleSeconds;
    return {
      kind: 'Update',
      key: clusterLimitKey(state.cluster, bins, number),
      change: { set: { taken, ttl }, add: { ver: 1 } },
      when: ver === undefined ? absent('ver') : compare('ver', '=', ver),
    };
  });
}
