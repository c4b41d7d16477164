// Everything that decides about some pods, read together: their claims, those claims' pools, and the rules.
import { claimNamesOf } from '../decide/consume.ts';
import { asksForAge } from '../decide/delay.ts';
import { withPolicy } from '../decide/policy.ts';
import type { RuleSet } from '../decide/rate.ts';
import { taintRulesOf } from '../decide/ruleTaints.ts';
import { presentIn } from '../decide/standing.ts';
import { agentTaintsOf } from '../decide/taintSlice.ts';
import { deviceKey, poolKey } from '../model/identity.ts';
import type { DeviceClasses, Pod } from '../model/objects.ts';
import type { StoredModes } from '../model/ownership.ts';
import type { ObjectKind } from '../model/projection.ts';
import type { AnyRule, TaintRule } from '../model/rule.ts';
import {
  type InstallationSettings,
  type Served,
  type Snapshot,
  type SnapshotObjects,
  settingsFor,
  snapshotOf,
} from '../model/snapshot.ts';
import type { DeviceTaintSlice } from '../model/taintSlice.ts';
import type { UnknownObjects } from '../model/unknown.ts';
import { readClaims } from './claimRows.ts';
import { readRemembered } from './deviceRows.ts';
import type { PodRow } from './podRows.ts';
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
import { readRuleVersion } from './ruleVersion.ts';
import { type PoolRows, readPools } from './sliceRows.ts';
import { readStanding } from './standingRows.ts';
import { isLive, type State } from './state.ts';
import { readWatched } from './waveRows.ts';

type Cached = Required<RuleSet> & { readonly classes: DeviceClasses };

/** Modes come from the version row each time: who is switched off must not act on what it remembers. */
export type Current = Cached &
  Served & {
    readonly modes: StoredModes;
    readonly notServed: readonly ObjectKind[];
    /** Moves with each of the rules, policies and classes. */
    readonly version: number;
  };

const cachedRules = new Map<string, { readonly known: RuleRows; readonly ruleSet: Cached }>();

export async function currentRules(state: State): Promise<readonly TaintRule[]> {
  return (await currentRuleSet(state)).rules;
}

/** The live rules and policies; read only when the version row has moved since this process last did, and no more than has changed. */
export async function currentRuleSet(state: State): Promise<Current> {
  const of = await readRuleVersion(state);
  const { podGroups, modes, notServed } = of;
  const cached = cachedRules.get(state.cluster);
  if (cached?.known.of.version === of.version)
    return { ...cached.ruleSet, podGroups, modes, notServed, version: of.version };
  const known = await readRuleRows(state, of, cached?.known);
  const ruleSet = liveRuleSet(storedRulesOf(known));
  cachedRules.set(state.cluster, { known, ruleSet });
  return { ...ruleSet, podGroups, modes, notServed, version: of.version };
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

/** The pods' own rows must have been read before (ledger first, inputs after it), so they are taken as they are. */
export async function readNeighbourhood(
  state: State,
  pods: readonly PodRow[],
  settings: InstallationSettings,
): Promise<Snapshot> {
  const [current, around] = await Promise.all([currentRuleSet(state), readClaimsAndPools(state, pods)]);
  const { claims, slices, taintSlices } = around;
  const unknown = unknownObjects(pods, { ...around, notServed: lostKinds(current, around) });
  const alive = pods.filter((row) => !row.gone).map((row) => row.object);
  return snapshotAround(state, { ...current, ...unknown, pods: alive, claims, slices, taintSlices }, settings);
}

/** What a snapshot is built from, wherever the objects were read. */
export interface Surroundings extends Omit<SnapshotObjects, 'remembered' | 'settings'>, Required<RuleSet>, Served {
  readonly taintSlices: readonly DeviceTaintSlice[];
  readonly modes: StoredModes;
  readonly unknown?: UnknownObjects;
}

/** With what only the table knows: devices as they were, and since when their taints have stood. */
export async function snapshotAround(
  state: State,
  around: Surroundings,
  installed: InstallationSettings,
): Promise<Snapshot> {
  const { pods, claims, slices, rules, policies, namespaces, podGroups, modes } = around;
  const settings = settingsFor(installed, { podGroups });
  const published = snapshotOf({ pods, claims, slices, rules, settings });
  const remembered = await readRemembered(state, published);
  const agentTaints = agentTaintsOf(around.taintSlices, published.pools);
  const unknown = around.unknown ? { unknown: around.unknown } : {};
  const snapshot = { ...published, ...unknown, policies, namespaces, remembered, agentTaints, modes };
  return { ...snapshot, ...(await readAges(state, snapshot)) };
}

async function readClaimsAndPools(state: State, pods: readonly PodRow[]) {
  const { rows, expected } = await readClaims(state, claimKeysOf(pods.map(({ object }) => object)));
  const live = rows.filter(isLive);
  const claims = live.map((row) => row.object);
  const refused = live.filter((row) => row.refused).map(({ key }) => key);
  const pools = claims.flatMap((claim) =>
    (claim.allocation?.devices ?? []).map(({ driver, pool }) => poolKey(driver, pool)),
  );
  return { expected, refused, claims, ...(await readPools(state, pools)) };
}

/** Kinds that are not served and have rows that these pods depend on. A cluster in which a kind never was has none. */
function lostKinds(current: Current, around: Awaited<ReturnType<typeof readClaimsAndPools>>): readonly ObjectKind[] {
  const has: Readonly<Record<ObjectKind, boolean>> = {
    Pod: true,
    ResourceClaim: around.claims.length > 0,
    ResourceSlice: around.slices.length > 0,
    DeviceTaintSlice: around.taintSlices.length > 0,
    DeviceTaintRule: current.rules.some(({ kind }) => kind === 'DeviceTaintRule'),
    PacedTaintRule: current.rules.some(({ kind }) => kind === 'PacedTaintRule'),
    EvictionPolicy: current.policies.length > 0,
    DeviceClass: current.classes.size > 0,
    Namespace: current.namespaces.size > 0,
  };
  return current.notServed.filter((kind) => has[kind]);
}

/** What is expected, and kinds that the API server has stopped to serve. */
function unknownObjects(
  pods: readonly PodRow[],
  by: Pick<PoolRows, 'unknown'> & {
    readonly expected: readonly string[];
    readonly refused: readonly string[];
    readonly notServed: readonly ObjectKind[];
  },
): Pick<Snapshot, 'unknown'> {
  const requested = (kind: string, keys: readonly string[]) =>
    new Map(keys.map((key) => [key, `${kind} ${key} is being requested from the watcher`]));
  const expected = pods.filter(({ mirror }) => mirror === 'Expected').map(({ key }) => key);
  const [lost] = by.notServed;
  const all = lost === undefined ? {} : { all: `the API server does not serve ${by.notServed.join(', ')} any more` };
  if (expected.length + by.expected.length + by.refused.length + by.unknown.size === 0 && lost === undefined) return {};
  const refused = by.refused.map((key) => [key, `claim ${key} is too large to be kept`] as const);
  const claims = new Map([...requested('claim', by.expected), ...refused]);
  const known = { pods: requested('pod', expected), claims, pools: by.unknown };
  return { unknown: { ...known, ...all } };
}

/** Since when the taints of the allocated devices have stood, where a policy asks. */
async function readAges(
  state: State,
  { policies, claims, pools, agentTaints }: Snapshot,
): Promise<Pick<Snapshot, 'standing' | 'waves'>> {
  if (!policies?.some(asksForAge)) return {};
  const present = presentIn({ pools, ...(agentTaints ? { agentTaints } : {}) });
  const allocated = [...claims.values()].flatMap(({ allocation }) => allocation?.devices ?? []);
  const tainted = allocated.filter((id) => present.has(deviceKey(id)));
  const [standing, waves] = await Promise.all([readStanding(state, tainted), readWatched(state, policies)]);
  return { standing, waves };
}

export function claimKeysOf(pods: readonly Pod[]): readonly string[] {
  return [...new Set(pods.flatMap((pod) => claimNamesOf(pod).map((name) => `${pod.namespace}/${name}`)))];
}
