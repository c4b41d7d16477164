// Rules, the version that caches of them hang on, and the fan-out that each change of a rule owes.
import type { DeviceTaintRule, DeviceTaintSelector } from '../model/objects.ts';
import type { Instant } from '../model/time.ts';
import { queryAll, type Row, type Write } from '../table.ts';
import { fanOutPartition, rulePartition, ruleRowKey, ruleVersionKey } from './keys.ts';
import { type DirtyRow, readDirtyRow, replaceObject, type Seen, type State, type Stored } from './state.ts';

/** `dirty`: selections of this and earlier versions whose pods are not yet handed to an evaluation. */
export type RuleRow = DirtyRow<DeviceTaintRule, readonly DeviceTaintSelector[]>;

/**
 * The rule and the version row change in one transaction: version first would leave caches stale for ever (protocol 6).
 * A tombstone keeps its selector. `sameSpec`: only status or metadata moved; `isAnnotated`: the spec
 * stands, but not the annotations; `isRepeat`: this very version is stored already.
 */
export async function storeRule(
  state: State,
  rule: DeviceTaintRule,
  options: { readonly seen: Seen; readonly gone?: Instant },
): Promise<
  Stored<RuleRow> & { readonly sameSpec?: boolean; readonly isAnnotated?: boolean; readonly isRepeat?: boolean }
> {
  const next = options.gone === undefined ? rule : undefined;
  const isSame = (before: RuleRow | undefined) =>
    next !== undefined && before !== undefined && isSameSpec(before, next);
  const version: Write = { kind: 'Update', key: ruleVersionKey(state.cluster), change: { add: { version: 1 } } };
  const stored = await replaceObject<DeviceTaintRule, readonly DeviceTaintSelector[]>(state, {
    rowKey: ruleRowKey(state.cluster, rule.name),
    key: rule.name,
    object: rule,
    ...options,
    dirty: (before) => (isSame(before) ? (before?.dirty ?? []) : dirtyBy(before, next)),
    with: (before) => (isSame(before) ? [] : [version]),
  });
  if (stored.kind === 'Stale') return stored;
  const { before } = stored;
  const sameSpec = isSame(before);
  const isAnnotated =
    next !== undefined && !sameSpec && before?.uid === rule.uid && before.object.generation === rule.generation;
  return { ...stored, sameSpec, isAnnotated, isRepeat: before?.rv === stored.row.rv };
}

export async function readRule(state: State, name: string): Promise<RuleRow | undefined> {
  return readRuleRow(await state.table.get(ruleRowKey(state.cluster, name)));
}

function readRuleRow(row: Row | undefined): RuleRow | undefined {
  return readDirtyRow(row, row?.sk.slice('DeviceTaintRule#'.length) ?? '');
}

/** All rules, tombstones too, and the version they belong to: the version is read first, so it is never too new. */
export async function readRules(
  state: State,
): Promise<{ readonly version: number; readonly rows: readonly RuleRow[] }> {
  const version = await readRuleVersion(state);
  const rows = await queryAll(state.table, { pk: rulePartition(state.cluster), prefix: 'DeviceTaintRule#' });
  return { version, rows: rows.flatMap((row) => readRuleRow(row) ?? []) };
}

export async function readRuleVersion(state: State): Promise<number> {
  const row = await state.table.get(ruleVersionKey(state.cluster));
  return (row?.version as number | undefined) ?? 0;
}

/** A rule's identity and version of its spec; reservations and fan-outs of another epoch are void. */
export function epochOf(rule: { readonly uid: string; readonly generation: number }): string {
  return `${rule.uid}/${rule.generation}`;
}

/** Chunks of a fan-out that are still to be evaluated; the condition waits for them. */
export async function openChunks(state: State, rule: string, epoch: string): Promise<boolean> {
  const page = await state.table.query({ pk: fanOutPartition(state.cluster, rule), prefix: `${epoch}#`, limit: 1 });
  return page.rows.length > 0;
}

export async function openChunk(
  state: State,
  rule: string,
  chunk: { epoch: string; id: string; now: Instant },
): Promise<void> {
  const ttl = Math.floor(chunk.now / 1000) + 24 * 3600;
  await state.table.write({
    kind: 'Put',
    row: { pk: fanOutPartition(state.cluster, rule), sk: `${chunk.epoch}#${chunk.id}`, ttl },
  });
}

export async function closeChunk(state: State, rule: string, chunk: { epoch: string; id: string }): Promise<void> {
  await state.table.write({
    kind: 'Delete',
    key: { pk: fanOutPartition(state.cluster, rule), sk: `${chunk.epoch}#${chunk.id}` },
  });
}

/** Old selections stay until their pods are evaluated (protocol 3); only NoExecute ever concerned a pod. */
function dirtyBy(stored: RuleRow | undefined, next: DeviceTaintRule | undefined): readonly DeviceTaintSelector[] {
  const before = stored?.gone ? undefined : stored?.object;
  const selectors = [...(stored?.dirty ?? []), ...[before, next].flatMap(evictingSelector)];
  return [...new Map(selectors.map((selector) => [JSON.stringify(selector), selector])).values()];
}

function evictingSelector(rule: DeviceTaintRule | undefined): readonly DeviceTaintSelector[] {
  return rule?.deviceSelector && rule.taint.effect === 'NoExecute' ? [rule.deviceSelector] : [];
}

function isSameSpec(stored: RuleRow, rule: DeviceTaintRule): boolean {
  return (
    !stored.gone &&
    stored.uid === rule.uid &&
    stored.object.generation === rule.generation &&
    JSON.stringify(stored.object.annotations ?? {}) === JSON.stringify(rule.annotations ?? {})
  );
}
