// Rules of both kinds, the version by which caches of them are validated, and the fan-out that each change owes.
import { expiryOf } from '../decide/hold.ts';
import { actsSinceAfter, taintRulesOf } from '../decide/ruleTaints.ts';
import { evicts } from '../decide/taint.ts';
import type { DeviceTaintSelector } from '../model/objects.ts';
import { type AnyRule, type PacedDeviceSelector, ruleRef, type TaintRule } from '../model/rule.ts';
import type { Instant } from '../model/time.ts';
import type { Row } from '../table.ts';
import { causeOf, isFanningOut, isHandingOver } from './fanOutRows.ts';
import { classRowKey, ruleRowKey } from './keys.ts';
import { replaceObject } from './replaceObject.ts';
import { expiryWrites } from './reportRows.ts';
import { nextVersion } from './ruleVersion.ts';
import { type DirtyRow, isLive, readDirtyRow, type State, type Stored, type Storing } from './state.ts';

/** `dirty`: selectors of this and earlier versions whose pods are not yet handed to an evaluation; `key`: see `ruleRef`. */
export type RuleRow = DirtyRow<AnyRule, readonly DeviceTaintSelector[]>;

/**
 * One transaction writes the rule and the version row: version first would leave caches stale forever.
 * A tombstone keeps its selector. `sameSpec`: only status or metadata changed; `isAnnotated`: the
 * annotations changed, but not the spec; `isRepeat`: exactly this version was stored already.
 */
export async function storeRule(
  state: State,
  rule: AnyRule,
  options: Storing & { readonly beside?: (row: RuleRow) => void },
): Promise<
  Stored<RuleRow> & {
    readonly sameSpec?: boolean;
    readonly isAnnotated?: boolean;
    readonly isRepeat?: boolean;
    /** The row as stored in the table. */
    readonly raw?: Row;
  }
> {
  const { beside } = options;
  const next = options.gone === undefined ? rule : undefined;
  const isSame = (before: RuleRow | undefined) =>
    next !== undefined && before !== undefined && isSameSpec(before, next);
  const stored = await replaceObject<AnyRule, readonly DeviceTaintSelector[]>(state, {
    rowKey: ruleRowKey(state.cluster, ruleRef(rule)),
    key: rule.name,
    object: rule,
    objectAfter: (before) => withActsSince(rule, before, options.now),
    isOftenNew: true,
    ...options,
    ...(beside ? { beside: (row: RuleRow) => beside({ ...row, key: ruleRef(rule) }) } : {}),
    dirty: (before) => (isSame(before) ? (before?.dirty ?? []) : dirtyBy(before, next)),
    with: (before) =>
      isSame(before)
        ? []
        : [
            nextVersion(state, ruleRowKey(state.cluster, ruleRef(rule))),
            ...expiryWrites(state, ruleRef(rule), {
              before: before && !before.gone ? expiryOf(before.object) : undefined,
              after: next && expiryOf(next),
            }),
          ],
  });
  if (stored.kind === 'Stale') return stored;
  const { before } = stored;
  const sameSpec = isSame(before);
  const isAnnotated =
    next !== undefined && !sameSpec && before?.uid === rule.uid && before.object.generation === rule.generation;
  const row = { ...stored.row, key: ruleRef(rule) };
  return { ...stored, row, sameSpec, isAnnotated, isRepeat: before?.at === stored.row.at };
}

/** `actsSince` starts again when a rule was deleted, or when another rule has its name. */
function withActsSince(rule: AnyRule, before: RuleRow | undefined, now: Instant): AnyRule {
  const known = before?.gone || before?.uid !== rule.uid ? undefined : before.object.actsSince;
  const actsSince = actsSinceAfter(rule, known, now);
  return Object.keys(actsSince).length === 0 ? rule : { ...rule, actsSince };
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

/** Whether a version of a rule may have pods that are not evaluated yet. */
export async function isBeingFound(
  state: State,
  rule: Pick<AnyRule, 'kind' | 'name' | 'uid' | 'generation'>,
): Promise<boolean> {
  const ref = ruleRef(rule);
  const row = await readRule(state, ref);
  if (!row || (row.dirty ?? []).length > 0 || (await isFanningOut(state, ref, epochOf(rule)))) return true;
  const { deviceClassName } = (row.object.deviceSelector ?? {}) as PacedDeviceSelector;
  return deviceClassName !== undefined && isClassHandedOver(state, deviceClassName);
}

/** Reads the row first: the row is clean only after the fan-out is stored. */
async function isClassHandedOver(state: State, name: string): Promise<boolean> {
  const key = classRowKey(state.cluster, name);
  return (await state.table.get(key))?.dirty !== undefined || isHandingOver(state, causeOf(key));
}

/** A rule's UID and generation; reservations and fan-outs of another epoch are invalid. */
export function epochOf(rule: { readonly uid: string; readonly generation: number }): string {
  return `${rule.uid}/${rule.generation}`;
}

/** Old selectors stay until their pods are evaluated. */
function dirtyBy(stored: RuleRow | undefined, next: AnyRule | undefined): readonly DeviceTaintSelector[] {
  const before = stored?.gone ? undefined : stored?.object;
  // A taint without timeAdded evicts no pod, but may have replaced the same taint of another rule.
  const ended = before ? namesOf(before, ({ taint }) => taint.effect === 'None' || evicts(taint)) : [];
  const selectors = [...(stored?.dirty ?? []), ...ended, ...reachingSelector(next)];
  return [...new Map(selectors.map((selector) => [JSON.stringify(selector), selector])).values()];
}

/** The selector of a rule that evicts or counts pods, by names only: the evaluation applies classes, CEL and taints. */
export function reachingSelector(rule: AnyRule | undefined): readonly DeviceTaintSelector[] {
  const isActing = ({ kind, taint }: TaintRule) =>
    taint.effect === 'None' || (evicts(taint) && (kind === 'DeviceTaintRule' || taint.timeAdded !== undefined));
  return rule ? namesOf(rule, isActing) : [];
}

/** The rule's selector by names, if any of its taints satisfies `isSuch`. */
function namesOf(rule: AnyRule, isSuch: (taint: TaintRule) => boolean): readonly DeviceTaintSelector[] {
  if (!rule.deviceSelector || !taintRulesOf(rule).some(isSuch)) return [];
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
    isLive(stored) &&
    stored.uid === rule.uid &&
    stored.object.generation === rule.generation &&
    JSON.stringify(stored.object.annotations ?? {}) === JSON.stringify(rule.annotations ?? {}) &&
    JSON.stringify(seenIn(stored.object)) === JSON.stringify(seenIn(rule))
  );
}

/** The status says since when the taints of a PacedTaintRule count, and affects decisions like its spec. */
function seenIn(rule: AnyRule): readonly unknown[] {
  return rule.kind === 'PacedTaintRule' ? rule.seen : [];
}
