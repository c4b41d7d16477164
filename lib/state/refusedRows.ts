// Objects that are too large to store, for display. The list is a hint; each object's own row is authoritative.
import { isStrippedSlice, type ObjectKind } from '../model/projection.ts';
import type { Instant } from '../model/time.ts';
import type { Key } from '../table.ts';
import { refusedKey, refusedPartition } from './keys.ts';
import { isLive, readObjectRow, type State } from './state.ts';

/** Maximum shown; more of them usually have the same cause. */
const mostShown = 100;

interface Sized {
  readonly object: { readonly kind: ObjectKind };
  readonly refused?: true;
}

/** Call before the object's own row is written. */
export async function noteRefused(
  { table, cluster }: State,
  by: {
    readonly rowKey: Key;
    readonly key: string;
    readonly object: { readonly kind: ObjectKind };
    readonly refused?: true;
    readonly gone?: Instant;
  },
  before: Sized | undefined,
): Promise<void> {
  const key = refusedKey(cluster, { kind: by.object.kind, key: by.key });
  if (!by.gone && isTooLarge(by)) await table.write({ kind: 'Put', row: { ...key, of: by.rowKey } });
  else if (before && isTooLarge(before)) await table.write({ kind: 'Delete', key });
}

function isTooLarge({ object, refused }: Sized): boolean {
  return refused || isStrippedSlice(object);
}

/** Such as `ResourceClaim ml/a`, or `… (attributes)` where only these are not kept; in ascending order; without objects that are gone. */
export async function readRefused(state: State): Promise<readonly string[]> {
  const { rows } = await state.table.query({ pk: refusedPartition(state.cluster), limit: mostShown });
  const found = await Promise.all(
    rows.map(async ({ sk, of }) => {
      const row = readObjectRow<{ readonly kind: ObjectKind }>(await state.table.get(of as Key), sk);
      if (!row || !isLive(row)) return [];
      const name = sk.replace('|', ' ');
      if (row.refused) return [name];
      return isStrippedSlice(row.object) ? [`${name} (attributes)`] : [];
    }),
  );
  return found.flat();
}
