// A table that lists any number of pods without storing them: rows of limiters and pods are generated when they are read.

import type { LimiterId } from '../../lib/model/eviction.ts';
import type { ClusterId } from '../../lib/model/identity.ts';
import { limiterPartition, podRowKey } from '../../lib/state/keys.ts';
import type { Key, Row, RowPage, RowRange, Table } from '../../lib/table.ts';
import { aPod } from './objects.ts';

const nameOf = (i: number) => `p${String(i).padStart(8, '0')}`;
const numberOf = (text: string) => Number(/p(\d{8})$/.exec(text)?.[1]);
const uidOf = (i: number) => `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`;

/** Every limiter lists the same `pods` pods. `look` is called before each page with the number of pods before that page. */
export function withMadeLists(
  table: Table,
  by: {
    readonly cluster: ClusterId;
    readonly limiters: readonly LimiterId[];
    readonly pods: number;
    readonly look?: (before: number) => void;
  },
): Table {
  const { cluster, limiters, pods, look } = by;
  const partitions = new Set(limiters.map((limiter) => limiterPartition(cluster, limiter)));
  const startOf = ({ after }: { readonly after?: string | undefined }) =>
    after === undefined ? 0 : numberOf(after) + 1;
  const page = ({ pk, limit = 1000, after }: RowRange): RowPage => {
    const from = startOf({ after });
    const to = Math.min(pods, from + limit);
    const rows = Array.from({ length: to - from }, (_, at): Row => {
      const name = nameOf(from + at);
      return { pk, sk: `P#${name}`, pod: `team/${name}`, uid: uidOf(from + at), ns: 'team' };
    });
    return to < pods ? { rows, next: `P#${nameOf(to - 1)}` } : { rows };
  };
  const podRow = ({ sk }: Key): Row => {
    const uid = uidOf(numberOf(sk));
    const listed = limiters.map((limiter) => ({ limiter, sk: `P#${nameOf(numberOf(sk))}` }));
    const object = { ...aPod(nameOf(numberOf(sk)), { namespace: 'team' }), uid, resourceClaims: [] };
    return { ...podRowKey(cluster, sk), uid, at: '1', mirror: 'Live', ver: 1, object, listed };
  };
  const isMade = ({ sk }: Key) => !Number.isNaN(numberOf(sk));
  return {
    get: (key) => table.get(key),
    getMany: async (keys) => [
      ...keys.filter(isMade).map(podRow),
      ...(await table.getMany(keys.filter((key) => !isMade(key)))),
    ],
    query: async (range) => {
      if (!partitions.has(range.pk)) return table.query(range);
      look?.(startOf(range));
      return page(range);
    },
    queryDue: (range) => table.queryDue(range),
    queryHeads: (range) => table.queryHeads(range),
    write: (write) => table.write(write),
    transact: (writes) => table.transact(writes),
  };
}
