// Pods and, in the same row, the ledger of each one's eviction; its listing rows move with it in one transaction.
import type { Ledger } from '../model/eviction.ts';
import { type PodRef, parseNameKey } from '../model/identity.ts';
import type { Pod } from '../model/objects.ts';
import type { ShadowDecision } from '../model/shadow.ts';
import type { Instant } from '../model/time.ts';
import { compare, type Row, type Write } from '../table.ts';
import { noDue } from './dueIndex.ts';
import { groupPartition, limiterPartition, podRowKey } from './keys.ts';
import { type ListingRow, listingRowsOf } from './listingRows.ts';
import { replaceObject } from './replaceObject.ts';
import { checkWrites } from './shadowRows.ts';
import { type ObjectRow, readObjectRow, type State, type Stored, type Storing } from './state.ts';

export interface PodRow extends ObjectRow<Pod> {
  /** The ledger of this pod or, until it is evaluated, of a predecessor with the same name. */
  readonly ledger?: Ledger;
  /** What shadow mode has decided, of this pod or of a predecessor with the same name. */
  readonly shadow?: ShadowDecision;
  /** The listing rows that exist now. */
  readonly listed: readonly ListingRow[];
}

/**
 * Storing a pod moves the ledger's version, so that a verdict from before it loses (protocol 4). A pod that is gone leaves a tombstone
 * with its last state; an absent row means "not seen yet", never "gone" (protocol 5).
 */
export async function storePod(state: State, pod: Pod, how: Storing): Promise<Stored<PodRow>> {
  const key = `${pod.namespace}/${pod.name}`;
  const rowKey = podRowKey(state.cluster, key);
  const stored = await replaceObject<Pod, true>(state, { ...how, rowKey, key, object: pod, dirty: () => true });
  const row = stored.kind === 'Stored' ? readPodRow(stored.raw, key) : undefined;
  return row ? { kind: 'Stored', row } : { kind: 'Stale' };
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
    ...(row.ledger === undefined ? {} : { ledger: row.ledger as Ledger }),
    ...(row.shadow === undefined ? {} : { shadow: row.shadow as ShadowDecision }),
  };
}

/**
 * Writes what an evaluation or a step came to, with its listing rows, if nobody has written the row since it was read.
 * `ledger` absent only moves the version: a fresh "keep" must beat a stale "evict" (protocol 4).
 */
export async function writeLedger(
  state: State,
  row: PodRow,
  change: {
    readonly ledger: Ledger | undefined;
    readonly now: Instant;
    /** Absent: it stays as it is. */
    readonly shadow?: { readonly decision: ShadowDecision | undefined };
    readonly with?: readonly Write[];
  },
): Promise<{ readonly kind: 'Written'; readonly row: PodRow } | { readonly kind: 'Lost' }> {
  const ledger = change.ledger ?? (row.ledger?.podUid === row.uid ? row.ledger : undefined);
  const listed = listingRowsOf(ledger, change.now);
  const shadow = change.shadow ? change.shadow.decision : row.shadow;
  const update: Write = {
    kind: 'Update',
    key: podRowKey(state.cluster, row.key),
    change: {
      set: { listed, ...(ledger ? { ledger } : {}), ...(shadow ? { shadow } : {}) },
      add: { ver: 1 },
      remove: [...evaluated(row), ...(ledger ? [] : ['ledger']), ...(row.shadow && !shadow ? ['shadow'] : [])],
    },
    when: compare('ver', '=', row.ver),
  };
  const checks = checkWrites(state, row.key, { before: row.shadow, after: shadow });
  const others = [...listingWrites(state, row, listed), ...checks, ...(change.with ?? [])];
  const result =
    others.length === 0 ? await state.table.write(update) : await state.table.transact([update, ...others]);
  if (result.kind === 'Lost') return { kind: 'Lost' };
  const { ledger: _, shadow: __, ...rest } = row;
  const kept = { ...(ledger ? { ledger } : {}), ...(shadow ? { shadow } : {}) };
  return { kind: 'Written', row: { ...rest, ver: row.ver + 1, listed, ...kept } };
}

/** A pod that is expected stays due: it has to be requested. */
function evaluated({ mirror }: PodRow): readonly string[] {
  return mirror === 'Expected' ? ['dirty'] : ['dirty', ...noDue];
}

function listingWrites(state: State, row: PodRow, next: readonly ListingRow[]): Write[] {
  const has = (rows: readonly ListingRow[], one: ListingRow) =>
    rows.some((r) => r.limiter === one.limiter && r.sk === one.sk && r.group === one.group);
  const { namespace } = parseNameKey(row.key);
  const gone = row.listed.filter((one) => !has(next, one));
  const added = next.filter((one) => !has(row.listed, one));
  return [
    ...gone.map((one): Write => ({ kind: 'Delete', key: { pk: partitionOf(state, one), sk: one.sk } })),
    ...added.map(
      (one): Write => ({
        kind: 'Put',
        row: {
          pk: partitionOf(state, one),
          sk: one.sk,
          pod: row.key,
          uid: row.uid,
          ns: namespace,
        },
      }),
    ),
  ];
}

function partitionOf({ cluster }: State, { limiter, group }: ListingRow): string {
  return group === undefined ? limiterPartition(cluster, limiter) : groupPartition(cluster, limiter, group);
}
