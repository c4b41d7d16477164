// Rules of both kinds, the version that caches of them hang on, and the fan-out that each change of a rule owes.
import { actsSinceAfter, taintRulesOf } from '../decide/ruleTaints.ts';
import { evicts } from '../decide/taint.ts';
import type { DeviceTaintSelector } from '../model/objects.ts';
import type { StoredModes } from '../model/ownership.ts';
import { type AnyRule, ruleRef, type TaintRule } from '../model/rule.ts';
import type { Served } from '../model/snapshot.ts';
import type { Instant } from '../model/time.ts';
import { type Key, queryAll, type Row, type Write } from '../table.ts';
import { fanOutPartition, ruleRowKey, ruleVersionKey } from './keys.ts';
import { type DirtyRow, readDirtyRow, replaceObject, type Seen, type State, type Stored } from './state.ts';

/** `dirty`: selections of this and earlier versions whose pods are not yet handed to an evaluation. */
/** `key` is the rule's ref, see `ruleRef`. */
export type RuleRow = DirtyRow<AnyRule, readonly DeviceTaintSelector[]>;

/**
 * The rule and the version row change in one transaction: version first would leave caches stale for ever (protocol 6).
 * A tombstone keeps its selector. `sameSpec`: only status or metadata moved; `isAnnotated`: the spec
 * stands, but not the annotations; `isRepeat`: this very version is stored already.
 */
export async function storeRule(
  state: State,
  rule: AnyRule,
  options: { readonly seen: Seen; readonly now: Instant; readonly gone?: Instant },
): Promise<
  Stored<RuleRow> & { readonly sameSpec?: boolean; readonly isAnnotated?: boolean; readonly isRepeat?: boolean }
> {
  const next = options.gone === undefined ? rule : undefined;
  const isSame = (before: RuleRow | undefined) =>
    next !== undefined && before !== undefined && isSameSpec(before, next);
  const stored = await replaceObject<AnyRule, readonly DeviceTaintSelector[]>(state, {
    rowKey: ruleRowKey(state.cluster, ruleRef(rule)),
    key: ruleRef(rule),
    object: rule,
    objectAfter: (before) => withActsSince(rule, before, options.now),
    ...options,
    dirty: (before) => (isSame(before) ? (before?.dirty ?? []) : dirtyBy(before, next)),
    with: (before) => (isSame(before) ? [] : [nextVersion(state, ruleRowKey(state.cluster, ruleRef(rule)))]),
  });
  if (stored.kind === 'Stale') return stored;
  const { before } = stored;
  const sameSpec = isSame(before);
  const isAnnotated =
    next !== undefined && !sameSpec && before?.uid === rule.uid && before.object.generation === rule.generation;
  return { ...stored, sameSpec, isAnnotated, isRepeat: before?.rv === stored.row.rv };
}

/** A rule that was deleted, or another one of its name, begins anew. */
function withActsSince(rule: AnyRule, before: RuleRow | undefined, now: Instant): AnyRule {
  const known = before?.gone || before?.uid !== rule.uid ? undefined : before.object.actsSince;
  const actsSince = actsSinceAfter(rule, known, now);
  return Object.keys(actsSince).length === 0 ? rule : { ...rule, actsSince };
}

/** For the transaction that writes the row `key`, and no other one, in the partition of rules. */
export function nextVersion(state: State, { sk }: Key): Write {
  const change = { set: { last: sk }, add: { version: 1, noted: 1 } };
  return { kind: 'Update', key: ruleVersionKey(state.cluster), change };
}

export async function readRule(state: State, name: string): Promise<RuleRow | undefined> {
  return readRuleRow(await state.table.get(ruleRowKey(state.cluster, name)));
}

export function readRuleRow(row: Row | undefined): RuleRow | undefined {
  return readDirtyRow(row, refOfKey(row?.sk ?? ''));
}

function refOfKey(sk: string): string {
  const [kind, name = ''] = sk.split('#');
  return ruleRef({ kind: kind === 'PacedTaintRule' ? kind : 'DeviceTaintRule', name });
}

/** The row that every change of what rules say moves. */
export interface RuleVersion extends Served {
  readonly version: number;
  readonly modes: StoredModes;
  /** Changes that said which row they wrote; a release before this one says nothing. */
  readonly noted: number;
  /** Sort key of the row that the last of these wrote. */
  readonly last?: string;
}

export async function readRuleVersion(state: State): Promise<RuleVersion> {
  const row = await state.table.get(ruleVersionKey(state.cluster));
  const { version = 0, modes = {}, noted = 0, last } = (row ?? {}) as Partial<RuleVersion>;
  return { version, modes, noted, ...(last === undefined ? {} : { last }), podGroups: row?.podGroups === true };
}

/** The only row that changed between two versions; `undefined` where there were more, or nobody knows. */
export function onlyChange(from: RuleVersion, to: RuleVersion): string | undefined {
  return to.version === from.version + 1 && to.noted === from.noted + 1 ? to.last : undefined;
}

/** Notes what the API server serves, in the row that every evaluation reads anyway; whether that is news. */
export async function noteServed(state: State, { podGroups }: Served): Promise<boolean> {
  if ((await readRuleVersion(state)).podGroups === podGroups) return false;
  const change = { set: { podGroups }, add: { version: 1 } };
  await state.table.write({ kind: 'Update', key: ruleVersionKey(state.cluster), change });
  return true;
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
  const key = { pk: fanOutPartition(state.cluster, rule), sk: `${chunk.epoch}#${chunk.id}` };
  await state.table.write({ kind: 'Update', key, change: { set: { openedAt: chunk.now, ttl } } });
}

export async function closeChunk(state: State, rule: string, chunk: { epoch: string; id: string }): Promise<void> {
  await state.table.write({
    kind: 'Delete',
    key: { pk: fanOutPartition(state.cluster, rule), sk: `${chunk.epoch}#${chunk.id}` },
  });
}

/** Chunks, of whatever epoch, that have been open since before then: their messages are lost, or wait in a dead-letter queue. */
export async function readOldChunks(
  state: State,
  rule: string,
  before: Instant,
): Promise<readonly { readonly epoch: string; readonly id: string }[]> {
  const rows = await queryAll(state.table, { pk: fanOutPartition(state.cluster, rule) });
  return rows
    .filter(({ openedAt }) => typeof openedAt !== 'number' || openedAt < before)
    .map(({ sk }) => ({ epoch: sk.slice(0, sk.indexOf('#')), id: sk.slice(sk.indexOf('#') + 1) }));
}

/** Old selections stay until their pods are evaluated (protocol 3); only NoExecute ever concerned a pod. */
function dirtyBy(stored: RuleRow | undefined, next: AnyRule | undefined): readonly DeviceTaintSelector[] {
  const before = stored?.gone ? undefined : stored?.object;
  const selectors = [...(stored?.dirty ?? []), ...[before, next].flatMap(evictingSelector)];
  return [...new Map(selectors.map((selector) => [JSON.stringify(selector), selector])).values()];
}

/** By names alone: what classes, expressions and taints leave of it is for the evaluation to say. */
export function evictingSelector(rule: AnyRule | undefined): readonly DeviceTaintSelector[] {
  if (!rule?.deviceSelector) return [];
  const isActing = ({ kind, taint }: TaintRule) =>
    evicts(taint) && (kind === 'DeviceTaintRule' || taint.timeAdded !== undefined);
  if (!taintRulesOf(rule).some(isActing)) return [];
  const { driver, pool, device } = rule.deviceSelector;
  return [
    {
      ...(driver === undefined ? {} : { driver }),
      ...(pool === undefined ? {} : { pool }),
      ...(device === undefined ? {} : { device }),
    },
  ];
}

function isSameSpec(stored: RuleRow, rule: AnyRule): boolean {
  return (
    !stored.gone &&
    stored.uid === rule.uid &&
    stored.object.generation === rule.generation &&
    JSON.stringify(stored.object.annotations ?? {}) === JSON.stringify(rule.annotations ?? {}) &&
    JSON.stringify(seenIn(stored.object)) === JSON.stringify(seenIn(rule))
  );
}

/** When the taints of a PacedTaintRule count from stands in its status, and decides like its spec. */
function seenIn(rule: AnyRule): readonly unknown[] {
  return rule.kind === 'PacedTaintRule' ? rule.seen : [];
}
