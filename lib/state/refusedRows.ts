// Objects of the cluster that are too large to be kept, for people: a list of hints, because each object's own row says whether it is.
import type { ObjectKind } from '../model/projection.ts';
import type { Key } from '../table.ts';
import { refusedKey, refusedPartition } from './keys.ts';
import { isLive, readObjectRow, type State } from './state.ts';

/** Shown to people; who has more has one cause for all of them. */
const mostShown = 100;

/** Before the object's own row is written. */
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

/** `ResourceClaim ml/a`, ascending; without those that a manifest has shown to be gone. */
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
