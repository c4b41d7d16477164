// Rows that the table still has of earlier incarnations of a cluster.
import type { InMemoryTable } from '../support/fakes/table.ts';
import type { ApiServer } from './apiServer.ts';
import type { Violation } from './judge.ts';

interface Left {
  readonly api: Pick<ApiServer, 'incarnation'>;
  readonly table: InMemoryTable;
  readonly cluster: string;
  /** See `unreachedRows`. */
  readonly unreached: ReadonlySet<string>;
}

/** Records of evictions and rows with an expiry are not removed: they expire. */
export function leftOfEarlier({ api, table, cluster, unreached }: Left): readonly Violation[] {
  const current = `${cluster}@${api.incarnation()}#`;
  const isEarlier = (pk: string) => pk.startsWith(`${cluster}@`) && !pk.startsWith(current);
  const left = table.rows().filter(({ pk, ttl }) => isEarlier(pk) && ttl === undefined);
  const found = left.filter((row) => !unreached.has(idOf(row)));
  return found.map((row) => ({ law: 'removes what an earlier incarnation has left', what: idOf(row) }));
}

/**
 * An index row is written before the row of its pod, so that no change of a claim misses the pod. If a function crashes between the
 * two and the cluster is gone afterwards, no row refers to the index row: it is small, is never read, and may stay.
 */
export function unreachedRows({ table }: Pick<Left, 'table'>): ReadonlySet<string> {
  const rows = table.rows();
  const podOf = (pk: string, uid: unknown) => `${pk.split('#', 1)[0]} ${uid}`;
  const pods = rows.filter(({ pk, object }) => /#POD#\d+$/.test(pk) && object !== undefined);
  const stored = new Set(pods.map(({ pk, object }) => podOf(pk, (object as { uid?: string }).uid)));
  const index = rows.filter(({ pk }) => pk.includes('#CLAIMPODS#'));
  return new Set(index.filter(({ pk, uid }) => !stored.has(podOf(pk, uid))).map(idOf));
}

function idOf({ pk, sk }: { readonly pk: string; readonly sk: string }): string {
  return `${pk} ${sk}`;
}
