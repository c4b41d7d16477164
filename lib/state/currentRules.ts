// The live rules and policies, cached with their version: only what changed is read again, when the version has changed.
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

/** Modes are read with the version row each time: after a switch-off no step may act on cached modes. */
export type Current = Cached &
  Served & {
    readonly modes: StoredModes;
    readonly notServed: readonly ObjectKind[];
    /** Increases with every change of a rule, policy or class. */
    readonly version: number;
  };

/** All stored rows, including tombstones, and the live rules among them. */
interface Remembered {
  readonly known: RuleRows;
  readonly stored: StoredRules;
  readonly ruleSet: Cached;
}

const cachedRules = ({ memory }: State) => remembered<Remembered>(memory, 'rules');

/** Concurrent steps that see the same version share one read. */
const readings = ({ memory }: State) =>
  remembered<{ readonly version: number; readonly read: Promise<Remembered> }>(memory, 'rules being read');

/** The last rule row that this process wrote together with a new version, while it knew version `after`. */
const writtenRules = ({ memory }: State) =>
  remembered<{ readonly row: Row; readonly after: number }>(memory, 'rules written');

/** Call before a rule's row is written: then the next reader of the rules need not read that row, if no other one changed. */
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

/** The live rules and policies; reads only what changed, and only if the version row has changed since this process last read it. */
export async function currentRuleSet(state: State): Promise<Current> {
  const of = await readRuleVersion(state);
  const { podGroups, modes, notServed } = of;
  const { ruleSet } = await rulesOf(state, of);
  return { ...ruleSet, podGroups, modes, notServed, version: of.version };
}

/** All rules, classes and policies as stored. Parts that decide nothing, such as a status or what a row owes, may be older. */
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
  // The only change since then is the row that this process wrote.
  const isOwn = own !== undefined && own.after === cached?.known.of.version && own.after + 1 === of.version;
  const known = await readRuleRows(state, of, { known: cached?.known, ...(isOwn ? { written: own.row } : {}) });
  const stored = storedRulesOf(known);
  const read = { known, stored, ruleSet: liveRuleSet(stored) };
  // Keep the newer of two concurrent reads.
  const other = cachedRules(state).get(state.cluster);
  if (!other || other.known.of.version <= of.version) cachedRules(state).set(state.cluster, read);
  return read;
}

function liveRuleSet(stored: StoredRules): Cached {
  const [rules, policies] = [liveTaintRules(stored), livePolicies(stored)];
  return { rules, policies, classes: liveClasses(stored), namespaces: liveNamespaces(stored) };
}

/** A rule's taints with what only the table stores: their policy and the CEL selectors of their class. */
export async function currentTaintsOf(state: State, rule: AnyRule): Promise<readonly TaintRule[]> {
  // A native rule needs only the policies from the table, and those are fewer than the rules.
  if (rule.kind === 'DeviceTaintRule') return [withPolicy(rule, await readPolicies(state))];
  const stored = await currentRules(state);
  const mine = stored.filter(({ uid, generation }) => uid === rule.uid && generation === rule.generation);
  return mine.length > 0 ? mine : taintRulesOf(rule);
}
