// Pods and, in the same row, the ledger of each pod's eviction; one transaction writes the row and its listing rows.

import type { Ledger } from '../model/eviction.ts';
import type { PodRef } from '../model/identity.ts';
import type { Pod } from '../model/objects.ts';
import type { ShadowDecision } from '../model/shadow.ts';
import type { Instant } from '../model/time.ts';
import { all, compare, type Row, type Write } from '../table.ts';
import { dueAttributes, noDue } from './dueIndex.ts';
import { podRowKey } from './keys.ts';
import { type ListingRow, listingRowsOf } from './listingRows.ts';
import { listingsAtOnce, moveListings, placeListings } from './moveListings.ts';
import { movePlans, type PlannedFor } from './planIndex.ts';
import { leftDirtyAfter } from './replaceObject.ts';
import { checkWrites } from './shadowRows.ts';
import { type ObjectRow, readObjectRow, type State } from './state.ts';

export interface PodRow extends ObjectRow<Pod> {
  /** The ledger of this pod or, until it is evaluated, of an earlier pod with the same name. */
  readonly ledger?: Ledger;
  /** The shadow decision about this pod, or about an earlier pod with the same name. */
  readonly shadow?: ShadowDecision;
  /** The listing rows that exist now. */
  readonly listed: readonly ListingRow[];
  /** Plans of rules with effect None that include the pod. */
  readonly planned: readonly PlannedFor[];
}

export function podRefOf(row: PodRow): PodRef {
  return { namespace: row.object.namespace, name: row.object.name, uid: row.uid };
}

export async function readPods(state: State, keys: readonly string[]): Promise<readonly PodRow[]> {
  const rows = await state.table.getMany(keys.map((key) => podRowKey(state.cluster, key)));
  return rows.flatMap((row) => readPodRow(row, row.sk) ?? []);
}

export async function readPod(state: State, key: string): Promise<PodRow | undefined> {
  return readPodRow(await state.table.get(podRowKey(state.cluster, key)), key);
}

export function readPodRow(row: Row | undefined, key: string): PodRow | undefined {
  const common = readObjectRow<Pod>(row, key);
  if (!row || !common) return undefined;
  return {
    ...common,
    listed: (row.listed as readonly ListingRow[] | undefined) ?? [],
    planned: (row.planned as readonly PlannedFor[] | undefined) ?? [],
    ...(row.ledger === undefined ? {} : { ledger: row.ledger as Ledger }),
    ...(row.shadow === undefined ? {} : { shadow: row.shadow as ShadowDecision }),
  };
}

export interface LedgerChange {
  /** If absent, only the version changes: a newer "keep" must win over a stale "evict". */
  readonly ledger: Ledger | undefined;
  readonly now: Instant;
  /**
   * `Done`: the evaluation considered everything stored about the pod. `Owed`: it may have missed something, so the row stays dirty
   * and due until the next evaluation. Absent: unchanged.
   */
  readonly evaluation?: 'Done' | 'Owed';
  /** Unchanged if absent. */
  readonly shadow?: { readonly decision: ShadowDecision | undefined };
  /** Unchanged if absent. */
  readonly planned?: readonly PlannedFor[];
  readonly with?: readonly Write[];
}

type Written = { readonly kind: 'Written'; readonly row: PodRow } | { readonly kind: 'Lost' };

/** Writes the result of an evaluation or a step with its listing rows, if the row has not changed since it was read. */
export async function writeLedger(state: State, row: PodRow, change: LedgerChange): Promise<Written> {
  const ledger = change.ledger ?? (row.ledger?.podUid === row.uid ? row.ledger : undefined);
  const { now } = change;
  const wanted = isSameIntent(row.ledger, ledger)
    ? row.listed
    : placeListings(state, row, { rows: listingRowsOf(ledger, now), now });
  const { shadow: _, evaluation: __, with: ___, ...rest } = change;
  let written = await writeOnce(state, row, { change, ledger, wanted });
  // If another step changed the row: an evaluation lists the rest, and the rest of an intent stays until its close.
  while (written.kind === 'Written' && !written.isAll) {
    const next = await writeOnce(state, written.row, { change: rest, ledger, wanted });
    if (next.kind === 'Lost') break;
    written = next;
  }
  return written;
}

/** Same attempt: the step that closes the intent only knows the listing rows that existed when it wrote the intent. */
function isSameIntent(before: Ledger | undefined, after: Ledger | undefined): boolean {
  const intent = intentOf(after);
  return intent !== undefined && intent === intentOf(before) && before?.podUid === after?.podUid;
}

async function writeOnce(
  state: State,
  row: PodRow,
  by: { readonly change: LedgerChange; readonly ledger: Ledger | undefined; readonly wanted: readonly ListingRow[] },
): Promise<{ readonly kind: 'Written'; readonly row: PodRow; readonly isAll: boolean } | { readonly kind: 'Lost' }> {
  const { change, ledger, wanted } = by;
  const { listed, writes, isAll } = moveListings(state, row, wanted);
  const plans = movePlans(state, row, change.planned ?? row.planned);
  const { planned } = plans;
  const shadow = change.shadow ? change.shadow.decision : row.shadow;
  const intent = intentOf(ledger);
  const kept = {
    ...(planned.length > 0 ? { planned } : {}),
    ...(ledger ? { ledger } : {}),
    ...(shadow ? { shadow } : {}),
  };
  const set = {
    listed,
    ...kept,
    ...(intent === undefined ? {} : { intent }),
    ...(change.evaluation === 'Owed' ? owed(state, row, change.now) : {}),
  };
  const remove = [
    ...(change.evaluation === 'Done' ? evaluated(row) : []),
    ...['planned', 'ledger', 'shadow', 'intent'].filter((name) => !(name in set)),
  ];
  const key = podRowKey(state.cluster, row.key);
  const when = compare('ver', '=', row.ver);
  const update: Write = { kind: 'Update', key, change: { set, add: { ver: 1 }, remove }, when };
  const checks = checkWrites(state, row.key, { before: row.shadow, after: shadow });
  const others = [...writes, ...plans.writes, ...checks, ...(change.with ?? [])];
  const result = await state.table.transact([update, ...others]);
  if (result.kind === 'Lost') return { kind: 'Lost' };
  const { ledger: _, shadow: __, ...rest } = row;
  return { kind: 'Written', row: { ...rest, ver: row.ver + 1, listed, planned, ...kept }, isAll: isAll && plans.isAll };
}

/** An expected pod stays due, because it must be requested. */
function evaluated({ mirror }: PodRow): readonly string[] {
  return mirror === 'Expected' ? ['dirty'] : ['dirty', ...noDue];
}

function owed(state: State, { key, mirror }: PodRow, now: Instant): Record<string, unknown> {
  const due = mirror === 'Expected' ? {} : dueAttributes(state, podRowKey(state.cluster, key), now + leftDirtyAfter);
  return { dirty: true, ...due };
}

/** Identifies the attempt that deletes the pod: the step that closes it writes the row even if the watcher has changed the row. */
function intentOf(ledger: Ledger | undefined): number | undefined {
  return ledger?.state === 'Deleting' ? ledger.leaseUntil : undefined;
}

/** Closes the attempt, even if another step has changed the row since; `undefined` where the row names no attempt. */
export function closeLedger(state: State, row: PodRow, ledger: Ledger): readonly Write[] | undefined {
  const intent = intentOf(row.ledger);
  if (intent === undefined || row.listed.length > listingsAtOnce) return undefined;
  const { listed, writes } = moveListings(state, row, []);
  const update: Write = {
    kind: 'Update',
    key: podRowKey(state.cluster, row.key),
    change: { set: { ledger, listed }, add: { ver: 1 }, remove: ['intent'] },
    when: all(compare('intent', '=', intent), compare('uid', '=', row.uid)),
  };
  return [update, ...writes];
}
