// Says that what a row made dirty is evaluated or handed to a queue.

import type { Instant } from '../model/time.ts';
import { compare, type Key } from '../table.ts';
import { dueAttributes, noDue } from './dueIndex.ts';
import type { ObjectRow, State } from './state.ts';

/** Unless the row was written again meanwhile. `again`: when it has to be looked at for something else. */
export async function clearDirty(
  state: State,
  rowKey: Key,
  { row, again }: { readonly row: ObjectRow<unknown>; readonly again?: Instant },
): Promise<void> {
  const change =
    again === undefined
      ? { remove: ['dirty', ...noDue], add: { ver: 1 } }
      : { set: dueAttributes(state, rowKey, again), remove: ['dirty'], add: { ver: 1 } };
  await state.table.transact([{ kind: 'Update', key: rowKey, change, when: compare('ver', '=', row.ver) }]);
}
