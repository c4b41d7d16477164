// Objects that are missing in the mirror, or older there than in the cluster: each is requested until it arrives or is gone.
import { type Known, type Seen, versionText } from '../mirror/order.ts';
import type { ObjectKind } from '../model/projection.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import { absent, all, type Condition, compare, type Key, type Row, type Write } from '../table.ts';
import { dueAttributes } from './dueIndex.ts';
import { rulePartition } from './keys.ts';
import { headAttributes, objectRowKey } from './mirrorKeys.ts';
import { nextVersion } from './ruleVersion.ts';
import { readKnown, type State } from './state.ts';

/** Delay of the first request, since the object's message may be under way. */
const firstRequestAfter: Milliseconds = 10_000;
const longestPause: Milliseconds = 5 * 60_000;

/** Attributes that mark a row's object as expected. */
export function expectedAttributes(
  state: Pick<State, 'cluster'>,
  rowKey: Key,
  by: { readonly entry: Seen; readonly now: Instant },
): Record<string, unknown> {
  return {
    mirror: 'Expected',
    uid: by.entry.uid,
    at: versionText(by.entry.resourceVersion),
    expectedSince: by.now,
    asked: 0,
    ...dueAttributes(state, rowKey, by.now + firstRequestAfter),
  };
}

/** Condition that the row is unchanged since it was read, so that a newer write wins. */
export function asRead(known: Known | undefined): Condition {
  if (!known) return absent('at');
  return all(compare('uid', '=', known.uid), compare('at', '=', known.at), compare('mirror', '=', known.mirror));
}

/** `Lost`: the row has changed since it was read; `known` is its current state. */
export async function expectObject(
  state: State,
  of: { readonly kind: ObjectKind; readonly key: string },
  by: { readonly known: Known | undefined; readonly entry: Seen; readonly now: Instant },
): Promise<{ readonly kind: 'Written' } | { readonly kind: 'Lost'; readonly known: Known | undefined }> {
  const rowKey = objectRowKey(state.cluster, of.kind, of.key);
  const set = { ...headAttributes(state.cluster, of.kind, of.key), ...expectedAttributes(state, rowKey, by) };
  const change = { set, add: { ver: 1 }, remove: ['ttl'] };
  const write: Write = { kind: 'Update', key: rowKey, change, when: asRead(by.known) };
  if (rowKey.pk !== rulePartition(state.cluster)) {
    const result = await state.table.write(write);
    return result.kind === 'Written' ? { kind: 'Written' } : { kind: 'Lost', known: readKnown(result.row) };
  }
  // Processes that cache the rules must notice the change.
  const { kind } = await state.table.transact([write, nextVersion(state, rowKey)]);
  return kind === 'Written' ? { kind } : { kind, known: readKnown(await state.table.get(rowKey)) };
}

/** A row of an expected object: since when, and how often it was requested. */
export interface ExpectedRow {
  readonly since: Instant;
  readonly asked: number;
  readonly ver: number;
}

export function readExpected(row: Row | undefined): ExpectedRow | undefined {
  if (readKnown(row)?.mirror !== 'Expected' || !row) return undefined;
  const { expectedSince, asked, ver } = row;
  return { since: (expectedSince as number) ?? 0, asked: (asked as number) ?? 0, ver: ver as number };
}

/** Sets the next due time; `isAsked`: the object was requested now. */
export async function postponeExpected(
  state: State,
  key: Key,
  by: { readonly row: ExpectedRow; readonly isAsked: boolean; readonly now: Instant },
): Promise<void> {
  const asked = by.row.asked + (by.isAsked ? 1 : 0);
  const pause = by.isAsked ? Math.min(longestPause, firstRequestAfter * 2 ** asked) : firstRequestAfter;
  const change = { set: { asked, ...dueAttributes(state, key, by.now + pause) }, add: { ver: 1 } };
  await state.table.write({ kind: 'Update', key, change, when: compare('ver', '=', by.row.ver) });
}
