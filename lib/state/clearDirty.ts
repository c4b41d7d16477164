// Says that what a row made dirty is evaluated or handed to a queue.
import { compare, type Key } from '../table.ts';
import { noDue } from './dueIndex.ts';
import type { ObjectRow, State } from './state.ts';

/** Unless the row was written again meanwhile. */
export async function clearDirty(state: State, rowKey: Key, row: ObjectRow<unknown>): Promise<void> {
  const change = { remove: ['dirty', ...noDue], add: { ver: 1 } };
  await state.table.write({ kind: 'Update', key: rowKey, change, when: compare('ver', '=', row.ver) });
}
