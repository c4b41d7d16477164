// Rows that are newer than a manifest, and since which manifest. A message may overtake one manifest, but not the next round.
import { type Known, versionText } from '../mirror/order.ts';
import type { ResourceVersion } from '../model/identity.ts';
import type { ObjectKind } from '../model/projection.ts';
import type { Instant } from '../model/time.ts';
import { asRead } from './expectedRows.ts';
import { objectRowKey } from './mirrorKeys.ts';
import { readKnown, type State } from './state.ts';
import { roundAtLeast } from './watermarks.ts';

/** For the row's version `of`: the first manifest below it, and when that manifest was applied. */
interface Ahead {
  readonly of: string;
  readonly version: string;
  readonly since: Instant;
}

/**
 * Notes that a row is newer than a manifest. `Overtaken`: a manifest of an earlier round was below the same version too, so the
 * cluster has not reached that version, and the message was wrong. `known`: the current row.
 */
export async function noteAhead(
  state: State,
  of: { readonly kind: ObjectKind; readonly key: string },
  by: { readonly resourceVersion: ResourceVersion; readonly now: Instant },
): Promise<{ readonly kind: 'Noted' } | { readonly kind: 'Overtaken'; readonly known: Known }> {
  const rowKey = objectRowKey(state.cluster, of.kind, of.key);
  const row = await state.table.get(rowKey);
  const known = readKnown(row);
  const version = versionText(by.resourceVersion);
  if (!known || known.at <= version) return { kind: 'Noted' };
  const ahead = row?.ahead as Ahead | undefined;
  if (ahead?.of === known.at) {
    // A redelivery of the same manifest is no evidence, however late.
    const isLater = version > ahead.version && by.now - ahead.since >= roundAtLeast;
    return isLater ? { kind: 'Overtaken', known } : { kind: 'Noted' };
  }
  const set = { ahead: { of: known.at, version, since: by.now } satisfies Ahead };
  await state.table.write({ kind: 'Update', key: rowKey, change: { set }, when: asRead(known) });
  return { kind: 'Noted' };
}
