// Pods and, in the same row, the ledger of each one's eviction; its listing rows move with it in one transaction.

import type { Ledger } from '../model/eviction.ts';
import { type PodRef, parseNameKey } from '../model/identity.ts';
import type { Pod } from '../model/objects.ts';
import type { ShadowDecision } from '../model/shadow.ts';
import type { Instant } from '../model/time.ts';
import { all, compare, type Row, type Write } from '../table.ts';
import { dueAttributes, noDue } from './dueIndex.ts';
import { groupPartition, limiterPartition, podRowKey } from './keys.ts';
import { type ListingRow, listingRowsOf } from './listingRows.ts';
import { movePlans, type PlannedFor } from './planIndex.ts';
import { leftDirtyAfter } from './replaceObject.ts';
import { checkWrites } from './shadowRows.ts';
import { type ObjectRow, readObjectRow, type State } from './state.ts';

export interface PodRow extends ObjectRow<Pod> {
  /** The ledger of this pod or, until it is evaluated, of a predecessor with the same name. */
  readonly ledger?: Ledger;
  /** What shadow mode has decided, of this pod or of a predecessor with the same name. */
  readonly shadow?: ShadowDecision;
  /** The listing rows that exist now. */
  readonly listed: readonly ListingRow[];
  /** Plans of rules with effect None that the pod is in. */
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
  /** Absent only moves the version: a fresh "keep" must beat a stale "evict". */
  readonly ledger: Ledger | undefined;
  readonly now: Instant;
  /**
   * `Done`: the pod was evaluated, all that was stored of it counted. `Owed`: what was evaluated lately may not have counted, so the
   * row is dirty and due until the next one. Absent: what is owed stays owed.
   */
  readonly evaluation?: 'Done' | 'Owed';
  /** Absent: it stays as it is. */
  readonly shadow?: { readonly decision: ShadowDecision | undefined };
  /** Absent: they stay as they are. */
  readonly planned?: readonly PlannedFor[];
  readonly with?: readonly Write[];
}

/** Listing rows of one transaction, which may hold 100 writes; a pod under more limiters is written in several. */
const listingsAtOnce = 20;

type Written = { readonly kind: 'Written'; readonly row: PodRow } | { readonly kind: 'Lost' };

/** Writes the result of an evaluation or a step, with its listing rows, on the condition that the row has not changed since it was read. */
export async function writeLedger(state: State, row: PodRow, change: LedgerChange): Promise<Written> {
  const ledger = change.ledger ?? (row.ledger?.podUid === row.uid ? row.ledger : undefined);
  const wanted = listingRowsOf(ledger, change.now);
  const { shadow: _, evaluation: __, with: ___, ...rest } = change;
  let written = await writeOnce(state, row, { change, ledger, wanted });
  // The step that is faster writes the rest.
  while (written.kind === 'Written' && !written.isAll) {
    const next = await writeOnce(state, written.row, { change: rest, ledger, wanted });
    if (next.kind === 'Lost') break;
    written = next;
  }
  return written;
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
  const result =
    others.length === 0 ? await state.table.write(update) : await state.table.transact([update, ...others]);
  if (result.kind === 'Lost') return { kind: 'Lost' };
  const { ledger: _, shadow: __, ...rest } = row;
  return { kind: 'Written', row: { ...rest, ver: row.ver + 1, listed, planned, ...kept }, isAll: isAll && plans.isAll };
}

/** A pod that is expected stays due: it has to be requested. */
function evaluated({ mirror }: PodRow): readonly string[] {
  return mirror === 'Expected' ? ['dirty'] : ['dirty', ...noDue];
}

function owed(state: State, { key, mirror }: PodRow, now: Instant): Record<string, unknown> {
  const due = mirror === 'Expected' ? {} : dueAttributes(state, podRowKey(state.cluster, key), now + leftDirtyAfter);
  return { dirty: true, ...due };
}

/** Names the attempt that is deleting the pod: the step that closes it writes the row whatever the watcher has seen meanwhile. */
function intentOf(ledger: Ledger | undefined): number | undefined {
  return ledger?.state === 'Deleting' ? ledger.leaseUntil : undefined;
}

/** Closes the attempt that is deleting the pod, even where another step has changed the row since; `undefined` where the row names none. */
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

/** The next writes on the way to the listing rows that are wanted, and the rows that exist after them. */
function moveListings(
  state: State,
  row: PodRow,
  wanted: readonly ListingRow[],
): { readonly listed: readonly ListingRow[]; readonly writes: readonly Write[]; readonly isAll: boolean } {
  const has = (rows: readonly ListingRow[], one: ListingRow) =>
    rows.some((r) => r.limiter === one.limiter && r.sk === one.sk && r.group === one.group);
  const { namespace } = parseNameKey(row.key);
  const added = wanted.filter((one) => !has(row.listed, one));
  const gone = row.listed.filter((one) => !has(wanted, one));
  const adding = added.slice(0, listingsAtOnce);
  const removing = gone.slice(0, listingsAtOnce - adding.length);
  const keyOf = (one: ListingRow) => ({ pk: partitionOf(state, one), sk: one.sk });
  return {
    listed: [...row.listed.filter((one) => !has(removing, one)), ...adding],
    writes: [
      ...removing.map((one): Write => ({ kind: 'Delete', key: keyOf(one) })),
      ...adding.map(
        (one): Write => ({ kind: 'Put', row: { ...keyOf(one), pod: row.key, uid: row.uid, ns: namespace } }),
      ),
    ],
    isAll: adding.length === added.length && removing.length === gone.length,
  };
}

function partitionOf({ cluster }: State, { limiter, group }: ListingRow): string {
  return group === undefined ? limiterPartition(cluster, limiter) : groupPartition(cluster, limiter, group);
}
