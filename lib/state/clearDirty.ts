// Marks a row as clean: the pods that it made dirty are evaluated or handed to a queue.

import type { Instant } from '../model/time.ts';
import { compare, type Key } from '../table.ts';
import { dueAttributes, noDue } from './dueIndex.ts';
import type { ObjectRow, State } from './state.ts';

/** Does nothing if the row was written in the meantime. `again`: when the row is due for another reason. */
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
