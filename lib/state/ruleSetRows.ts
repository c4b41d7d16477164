// Reads everything that decides whether and how fast pods are evicted: rules, device classes, policies, namespaces with labels or pauses.
import { withPolicy } from '../decide/policy.ts';
import { ghostOf } from '../decide/policyGone.ts';
import { taintRulesOf } from '../decide/ruleTaints.ts';
import type { Namespace } from '../model/namespace.ts';
import type { DeviceClass, DeviceClasses, DeviceTaintSelector } from '../model/objects.ts';
import type { StoredModes } from '../model/ownership.ts';
import type { EvictionPolicy } from '../model/policy.ts';
import type { AnyRule, TaintRule } from '../model/rule.ts';
import { compareText } from '../model/snapshot.ts';
import { queryAll, type Row } from '../table.ts';
import { classRowKey, rulePartition } from './keys.ts';
import { decidesLedgers, type NamespaceRow, type PolicyDebt, type PolicyRow } from './policyRows.ts';
import { replaceObject } from './replaceObject.ts';
import { type RuleRow, reachingSelector, readRuleRow } from './ruleRows.ts';
import { nextVersion, onlyChange, type RuleVersion, readRuleVersion } from './ruleVersion.ts';
import { type DirtyRow, readDirtyRow, type State, type Stored, type Storing } from './state.ts';

/** `dirty`: the pods of the rules that name the class are not yet handed to an evaluation. */
export type ClassRow = DirtyRow<DeviceClass, true>;

export async function storeClass(state: State, deviceClass: DeviceClass, options: Storing): Promise<Stored<ClassRow>> {
  return replaceObject<DeviceClass, true>(state, {
    rowKey: classRowKey(state.cluster, deviceClass.name),
    key: deviceClass.name,
    object: deviceClass,
    ...options,
    dirty: () => true,
    with: () => [nextVersion(state, classRowKey(state.cluster, deviceClass.name))],
  });
}

/** Whether a policy's change requires pods to be evaluated again: their due times or eviction modes may have changed. */
export function movesPods({ dirty }: PolicyRow, stored: StoredRules): boolean {
  return dirty === 'Moved' || (dirty === 'Changed' && livePolicies(stored).some(decidesLedgers));
}

export interface StoredRules {
  readonly version: number;
  readonly modes: StoredModes;
  readonly rows: readonly RuleRow[];
  readonly classes: readonly ClassRow[];
  readonly policies: readonly PolicyRow[];
  readonly namespaces: readonly NamespaceRow[];
}

/** All rules and classes, including tombstones, with their version, which is read first and so never too new. */
export async function readRules(state: State): Promise<StoredRules> {
  return storedRulesOf(await readRuleRows(state, await readRuleVersion(state)));
}

/** The underlying rows, in ascending order. */
export interface RuleRows {
  readonly of: RuleVersion;
  readonly rows: readonly Row[];
  /** Changes read one by one since all rows were read. */
  readonly followed: number;
}

/** After this many, all rows are read again, so that no cached row lives forever, whatever happened to the table. */
const mostFollowed = 100;

/** `of` must be read before. If only one row changed since `known`, only that row is read, unless it is the row `written`. */
export async function readRuleRows(
  state: State,
  of: RuleVersion,
  { known, written }: { readonly known?: RuleRows | undefined; readonly written?: Row | undefined } = {},
): Promise<RuleRows> {
  const pk = rulePartition(state.cluster);
  const changed = known && onlyChange(known.of, of);
  if (!known || changed === undefined || known.followed >= mostFollowed)
    return { of, rows: await queryAll(state.table, { pk }), followed: 0 };
  const row = written?.sk === changed ? written : await state.table.get({ pk, sk: changed });
  const others = known.rows.filter(({ sk }) => sk !== changed);
  const rows = [...others, ...(row ? [row] : [])].toSorted((a, b) => compareText(a.sk, b.sk));
  return { of, rows, followed: known.followed + 1 };
}

export function storedRulesOf({ of: { version, modes }, rows }: RuleRows): StoredRules {
  const of = <T, D>(kind: string) => {
    const mine = rows.filter(({ sk }) => sk.startsWith(`${kind}#`));
    return mine.flatMap((row) => readDirtyRow<T, D>(row, row.sk.slice(kind.length + 1)) ?? []);
  };
  return {
    version,
    modes,
    rows: rows.filter(({ sk }) => /^(Device|Paced)TaintRule#/.test(sk)).flatMap((row) => readRuleRow(row) ?? []),
    classes: of<DeviceClass, true>('DeviceClass'),
    policies: of<EvictionPolicy, PolicyDebt>('EvictionPolicy'),
    namespaces: of<Namespace, boolean>('Namespace'),
  };
}

export async function readPolicies(state: State): Promise<readonly EvictionPolicy[]> {
  const rows = await queryAll(state.table, { pk: rulePartition(state.cluster), prefix: 'EvictionPolicy#' });
  return livePolicies({ policies: rows.flatMap((row) => readDirtyRow<EvictionPolicy, PolicyDebt>(row, row.sk) ?? []) });
}

/** One per taint of each live rule, with the CEL selectors of the classes that they name. */
export function liveTaintRules(stored: StoredRules): readonly TaintRule[] {
  const classes = liveClasses(stored);
  const policies = livePolicies(stored);
  return stored.rows
    .filter((row) => !row.gone)
    .flatMap((row) => taintRulesOf(row.object, classes))
    .map((rule) => withPolicy(rule, policies));
}

export function liveClasses({ classes }: StoredRules): DeviceClasses {
  const live = classes.filter((row) => !row.gone);
  return new Map(live.map(({ key, object }) => [key, object.selectors]));
}

/** Including the remains of policies that were deleted while pods were pending under them. */
export function livePolicies({ policies }: Pick<StoredRules, 'policies'>): readonly EvictionPolicy[] {
  return policies.flatMap(({ gone, object }) => (gone ? (ghostOf(object) ?? []) : object));
}

/** By name. */
export function liveNamespaces({ namespaces }: StoredRules): ReadonlyMap<string, Namespace> {
  return new Map(namespaces.filter((row) => !row.gone).map(({ key, object }) => [key, object]));
}

/** The selectors of the live rules that name a class. */
export function selectionsOfClass(rules: StoredRules, name: string): readonly DeviceTaintSelector[] {
  return rulesNaming(rules, name).flatMap(reachingSelector);
}

export function rulesNaming({ rows }: StoredRules, name: string): readonly AnyRule[] {
  return rows
    .filter(
      ({ gone, object }) =>
        !gone && object.kind === 'PacedTaintRule' && object.deviceSelector?.deviceClassName === name,
    )
    .map(({ object }) => object);
}
