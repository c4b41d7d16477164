// The live rules and policies with their version, read again only when it has moved, and no more than has changed.
import { withPolicy } from '../decide/policy.ts';
import type { RuleSet } from '../decide/rate.ts';
import { taintRulesOf } from '../decide/ruleTaints.ts';
import { remembered } from '../memory.ts';
import type { DeviceClasses } from '../model/objects.ts';
import type { StoredModes } from '../model/ownership.ts';
import type { ObjectKind } from '../model/projection.ts';
import type { AnyRule, TaintRule } from '../model/rule.ts';
import type { Served } from '../model/snapshot.ts';
import type { Row } from '../table.ts';
import {
  liveClasses,
  liveNamespaces,
  livePolicies,
  liveTaintRules,
  type RuleRows,
  readPolicies,
  readRuleRows,
  type StoredRules,
  storedRulesOf,
} from './ruleSetRows.ts';
import { type RuleVersion, readRuleVersion } from './ruleVersion.ts';
import type { State } from './state.ts';

type Cached = Required<RuleSet> & { readonly classes: DeviceClasses };

/** Modes come from the version row each time: who is switched off must not act on what it remembers. */
export type Current = Cached &
  Served & {
    readonly modes: StoredModes;
    readonly notServed: readonly ObjectKind[];
    /** Moves with each of the rules, policies and classes. */
    readonly version: number;
  };

/** As they are stored, tombstones too, and what is live of them. */
interface Remembered {
  readonly known: RuleRows;
  readonly stored: StoredRules;
  readonly ruleSet: Cached;
}

const cachedRules = ({ memory }: State) => remembered<Remembered>(memory, 'rules');

/** Steps that work side by side and see the same version read the rules once. */
const readings = ({ memory }: State) =>
  remembered<{ readonly version: number; readonly read: Promise<Remembered> }>(memory, 'rules being read');

/** What this process wrote last of them, in a transaction with the version that was sent while it knew version `after`. */
const writtenRules = ({ memory }: State) =>
  remembered<{ readonly row: Row; readonly after: number }>(memory, 'rules written');

/** Begun before the row of a rule is written: then the next reader of the rules need not read it, if no other one was written since. */
export function ownRuleWrite(state: State): (row: Row) => void {
  const { cluster } = state;
  const after = cachedRules(state).get(cluster)?.known.of.version;
  return (row) => {
    if (after !== undefined) writtenRules(state).set(cluster, { row, after });
  };
}

export async function currentRules(state: State): Promise<readonly TaintRule[]> {
  return (await currentRuleSet(state)).rules;
}

/** The live rules and policies; read only when the version row has moved since this process last did, and no more than has changed. */
export async function currentRuleSet(state: State): Promise<Current> {
  const of = await readRuleVersion(state);
  const { podGroups, modes, notServed } = of;
  const { ruleSet } = await rulesOf(state, of);
  return { ...ruleSet, podGroups, modes, notServed, version: of.version };
}

/** All rules, classes and policies as they are stored. What decides nothing of them, a status or what a row owes, may be older. */
export async function currentRuleRows(state: State): Promise<StoredRules> {
  return (await rulesOf(state, await readRuleVersion(state))).stored;
}

async function rulesOf(state: State, of: RuleVersion): Promise<Remembered> {
  const cached = cachedRules(state).get(state.cluster);
  if (cached?.known.of.version === of.version) return cached;
  const underWay = readings(state).get(state.cluster);
  if (underWay?.version === of.version) return underWay.read;
  const read = readAnew(state, of, cached);
  readings(state).set(state.cluster, { version: of.version, read });
  try {
    return await read;
  } finally {
    if (readings(state).get(state.cluster)?.read === read) readings(state).delete(state.cluster);
  }
}

async function readAnew(state: State, of: RuleVersion, cached: Remembered | undefined): Promise<Remembered> {
  const own = writtenRules(state).get(state.cluster);
  // One change since: the row that this process has written.
  const isOwn = own !== undefined && own.after === cached?.known.of.version && own.after + 1 === of.version;
  const known = await readRuleRows(state, of, { known: cached?.known, ...(isOwn ? { written: own.row } : {}) });
  const stored = storedRulesOf(known);
  const read = { known, stored, ruleSet: liveRuleSet(stored) };
  // Of two readings the newer one is kept.
  const other = cachedRules(state).get(state.cluster);
  if (!other || other.known.of.version <= of.version) cachedRules(state).set(state.cluster, read);
  return read;
}

function liveRuleSet(stored: StoredRules): Cached {
  const [rules, policies] = [liveTaintRules(stored), livePolicies(stored)];
  return { rules, policies, classes: liveClasses(stored), namespaces: liveNamespaces(stored) };
}

/** A rule's taints, with what only the table has: their policy, and the expressions of their class. */
export async function currentTaintsOf(state: State, rule: AnyRule): Promise<readonly TaintRule[]> {
  // Rules are many and policies are few: a native rule needs nothing else of the table.
  if (rule.kind === 'DeviceTaintRule') return [withPolicy(rule, await readPolicies(state))];
  const stored = await currentRules(state);
  const mine = stored.filter(({ uid, generation }) => uid === rule.uid && generation === rule.generation);
  return mine.length > 0 ? mine : taintRulesOf(rule);
}
