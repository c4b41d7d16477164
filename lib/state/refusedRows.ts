// Objects that are too large to store, for display. The list is a hint; each object's own row is authoritative.
import type { ObjectKind } from '../model/projection.ts';
import type { Key } from '../table.ts';
import { refusedKey, refusedPartition } from './keys.ts';
import { isLive, readObjectRow, type State } from './state.ts';

/** Maximum shown; more of them usually have the same cause. */
const mostShown = 100;

/** Call before the object's own row is written. */
export async function noteRefused(
  { table, cluster }: State,
  by: {
    readonly rowKey: Key;
    readonly key: string;
    readonly object: { readonly kind: ObjectKind };
    readonly refused?: true;
  },
  wasRefused: true | undefined,
): Promise<void> {
  const key = refusedKey(cluster, { kind: by.object.kind, key: by.key });
  if (by.refused) await table.write({ kind: 'Put', row: { ...key, of: by.rowKey } });
  else if (wasRefused) await table.write({ kind: 'Delete', key });
}

/** Such as `ResourceClaim ml/a`, in ascending order; without objects that are gone. */
export async function readRefused(state: State): Promise<readonly string[]> {
  const { rows } = await state.table.query({ pk: refusedPartition(state.cluster), limit: mostShown });
  const found = await Promise.all(
    rows.map(async ({ sk, of }) => {
      const row = readObjectRow(await state.table.get(of as Key), sk);
      return row?.refused && isLive(row) ? [sk.replace('|', ' ')] : [];
    }),
  );
  return found.flat();
}
