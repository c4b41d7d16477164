// The writes that change a pod's listing rows to those that its ledger requires.
import { claimNamesOf } from '../decide/consume.ts';
import { type ClusterId, nameKey, parseNameKey } from '../model/identity.ts';
import type { Pod } from '../model/objects.ts';
import type { Instant } from '../model/time.ts';
import type { Write } from '../table.ts';
import type { ListingRow } from './listingRows.ts';
import { partitionOf } from './listKeys.ts';
import { shardFor } from './spreadList.ts';
import type { ObjectRow, State } from './state.ts';

/** Listing rows per transaction (DynamoDB: at most 100 writes); a pod under more limiters needs several. */
export const listingsAtOnce = 20;

/** A pod row with its existing listing rows. */
interface ListedPod extends ObjectRow<Pod> {
  readonly listed: readonly ListingRow[];
}

/** Adds partitions; a pod stays in the partition in which a limiter lists it. */
export function placeListings(
  state: State,
  { uid, listed }: Pick<ListedPod, 'uid' | 'listed'>,
  { rows, now }: { readonly rows: readonly ListingRow[]; readonly now: Instant },
): readonly ListingRow[] {
  const known = new Map(listed.filter(({ group }) => group === undefined).map((one) => [one.limiter, one]));
  return rows.map((one) => {
    if (one.group !== undefined) return one;
    const there = known.get(one.limiter);
    const shard = there ? there.shard : shardFor(state, { limiter: one.limiter, uid, now });
    return shard === undefined ? one : { ...one, shard };
  });
}

/** The next writes towards the wanted listing rows, and the rows that exist after them. */
export function moveListings(
  { cluster }: { readonly cluster: ClusterId },
  row: ListedPod,
  wanted: readonly ListingRow[],
): { readonly listed: readonly ListingRow[]; readonly writes: readonly Write[]; readonly isAll: boolean } {
  const before = byPlace(row.listed);
  const after = byPlace(wanted);
  const { namespace } = parseNameKey(row.key);
  const claims = claimNamesOf(row.object).map((name) => nameKey({ namespace, name }));
  const added = wanted.filter((one) => {
    const known = before.get(placeText(one));
    return known === undefined || known.deleting !== one.deleting;
  });
  const gone = row.listed.filter((one) => !after.has(placeText(one)));
  const adding = added.slice(0, listingsAtOnce);
  const removing = gone.slice(0, listingsAtOnce - adding.length);
  const moved = byPlace([...adding, ...removing]);
  const keyOf = (one: ListingRow) => ({ pk: partitionOf(cluster, one), sk: one.sk });
  const shared = { pod: row.key, uid: row.uid, ns: namespace, claims };
  return {
    listed: [...row.listed.filter((one) => !moved.has(placeText(one))), ...adding],
    writes: [
      ...removing.map((one): Write => ({ kind: 'Delete', key: keyOf(one) })),
      ...adding.map(
        (one): Write => ({
          kind: 'Put',
          row: { ...keyOf(one), ...shared, ...(one.deleting ? { deleting: true } : {}) },
        }),
      ),
    ],
    isAll: adding.length === added.length && removing.length === gone.length,
  };
}

function byPlace(rows: readonly ListingRow[]): ReadonlyMap<string, ListingRow> {
  return new Map(rows.map((one) => [placeText(one), one]));
}

function placeText({ limiter, sk, group = '', shard = 0 }: ListingRow): string {
  return `${limiter}\n${shard}\n${group}\n${sk}`;
}
