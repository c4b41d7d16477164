// Reads everything that decides about some pods: their claims, the pools of those claims, and the rules.
import { claimNamesOf } from '../decide/consume.ts';
import { asksForAge } from '../decide/delay.ts';
import type { RuleSet } from '../decide/rate.ts';
import { presentIn } from '../decide/standing.ts';
import { agentTaintsOf } from '../decide/taintSlice.ts';
import { recallOf } from '../memory.ts';
import { deviceKey, poolKey } from '../model/identity.ts';
import type { Pod } from '../model/objects.ts';
import type { StoredModes } from '../model/ownership.ts';
import type { ObjectKind } from '../model/projection.ts';
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
import { type Current, currentRuleSet } from './currentRules.ts';
import type { PodRow } from './podRows.ts';
import { type PoolRows, poolRowsOf, readRowsOfPools } from './sliceRows.ts';
import { readStanding } from './standingRows.ts';
import { isLive, type State } from './state.ts';
import { readWatched } from './waveRows.ts';

/**
 * The pods' rows must have been read before (ledger first, then its inputs), and are used as they are. `likelyPools`, each
 * `driver|pool`, are read in parallel with the claims; pods with devices in other pools cost one more read.
 */
export async function readNeighbourhood(
  state: State,
  pods: readonly PodRow[],
  settings: InstallationSettings,
  likelyPools: readonly string[] = [],
): Promise<Snapshot> {
  const [current, around] = await Promise.all([currentRuleSet(state), readClaimsAndPools(state, pods, likelyPools)]);
  const { claims, slices, taintSlices } = around;
  const unknown = unknownObjects(pods, { ...around, notServed: lostKinds(current, around) });
  const alive = pods.filter((row) => !row.gone).map((row) => row.object);
  return snapshotAround(state, { ...current, ...unknown, pods: alive, claims, slices, taintSlices }, settings);
}

/** The objects from which a snapshot is built, wherever they were read. */
export interface Surroundings extends Omit<SnapshotObjects, 'settings'>, Required<RuleSet>, Served {
  readonly taintSlices: readonly DeviceTaintSlice[];
  readonly modes: StoredModes;
  readonly unknown?: UnknownObjects;
}

/** Adds what only the table stores: since when taints exist. */
export async function snapshotAround(
  state: State,
  around: Surroundings,
  installed: InstallationSettings,
): Promise<Snapshot> {
  const { pods, claims, slices, rules, policies, namespaces, podGroups, modes } = around;
  const settings = settingsFor(installed, { podGroups });
  const published = snapshotOf({ pods, claims, slices, rules, settings, recall: recallOf(state.memory) });
  const agentTaints = agentTaintsOf(around.taintSlices, published.pools);
  const unknown = around.unknown ? { unknown: around.unknown } : {};
  const snapshot = { ...published, ...unknown, policies, namespaces, agentTaints, modes };
  return { ...snapshot, ...(await readAges(state, snapshot)) };
}

async function readClaimsAndPools(state: State, pods: readonly PodRow[], likely: readonly string[]) {
  const [{ rows, expected }, early] = await Promise.all([
    readClaims(state, claimKeysOf(pods.map(({ object }) => object))),
    readRowsOfPools(state, likely),
  ]);
  const live = rows.filter(isLive);
  const claims = live.map((row) => row.object);
  const refused = live.filter((row) => row.refused).map(({ key }) => key);
  const pools = claims.flatMap((claim) =>
    (claim.allocation?.devices ?? []).map(({ driver, pool }) => poolKey(driver, pool)),
  );
  const others = await readRowsOfPools(
    state,
    pools.filter((pool) => !likely.includes(pool)),
  );
  return { expected, refused, claims, ...poolRowsOf([...early, ...others]) };
}

/** Kinds that are no longer served but have rows that these pods depend on. A kind that never existed has no rows. */
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

/** Objects that are unknown: expected or too large ones, and those of kinds that are no longer served. */
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

/** Since when the taints of the allocated devices exist, if a policy needs that. */
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
