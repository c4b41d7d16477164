// Rules of both kinds, the version that caches of them hang on, and the fan-out that each change of a rule owes.
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

/** `dirty`: selections of this and earlier versions whose pods are not yet handed to an evaluation; `key`: the rule's ref, see `ruleRef`. */
export type RuleRow = DirtyRow<AnyRule, readonly DeviceTaintSelector[]>;

/**
 * The rule and the version row change in one transaction: version first would leave caches stale forever.
 * A tombstone keeps its selector. `sameSpec`: only status or metadata moved; `isAnnotated`: the spec
 * stands, but not the annotations; `isRepeat`: this very version is stored already.
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
    /** The row as it is in the table. */
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

/** A rule that was deleted, or another one of its name, restarts. */
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

/** Whether a version of a rule may have pods that no evaluation has looked at. */
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

/** Its row first, which is clean once the fan-out stands. */
async function isClassHandedOver(state: State, name: string): Promise<boolean> {
  const key = classRowKey(state.cluster, name);
  return (await state.table.get(key))?.dirty !== undefined || isHandingOver(state, causeOf(key));
}

/** A rule's identity and version of its spec; reservations and fan-outs of another epoch are void. */
export function epochOf(rule: { readonly uid: string; readonly generation: number }): string {
  return `${rule.uid}/${rule.generation}`;
}

/** Old selections stay until their pods are evaluated. */
function dirtyBy(stored: RuleRow | undefined, next: AnyRule | undefined): readonly DeviceTaintSelector[] {
  const before = stored?.gone ? undefined : stored?.object;
  // A taint without a time evicts no pod, and may have replaced the same taint of another rule.
  const ended = before ? namesOf(before, ({ taint }) => taint.effect === 'None' || evicts(taint)) : [];
  const selectors = [...(stored?.dirty ?? []), ...ended, ...reachingSelector(next)];
  return [...new Map(selectors.map((selector) => [JSON.stringify(selector), selector])).values()];
}

/** Of a rule that evicts pods or counts them, by names alone: what classes, expressions and taints leave of it is for the evaluation to say. */
export function reachingSelector(rule: AnyRule | undefined): readonly DeviceTaintSelector[] {
  const isActing = ({ kind, taint }: TaintRule) =>
    taint.effect === 'None' || (evicts(taint) && (kind === 'DeviceTaintRule' || taint.timeAdded !== undefined));
  return rule ? namesOf(rule, isActing) : [];
}

/** What it selects, where any of its taints is such a one. */
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

/** When the taints of a PacedTaintRule count from stands in its status, and decides like its spec. */
function seenIn(rule: AnyRule): readonly unknown[] {
  return rule.kind === 'PacedTaintRule' ? rule.seen : [];
}
