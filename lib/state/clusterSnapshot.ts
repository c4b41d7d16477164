// The whole cluster as the table has it, for previews; reads every row of four kinds.

import { asksForAge } from '../decide/delay.ts';
import { agentTaintsOf } from '../decide/taintSlice.ts';
import type { ClusterId } from '../model/identity.ts';
import type { Pod, ResourceClaim } from '../model/objects.ts';
import { type InstallationSettings, type Snapshot, settingsFor, snapshotOf } from '../model/snapshot.ts';
import { queryAll, type Row } from '../table.ts';
import { readAllRemembered } from './deviceRows.ts';
import { claimPartition, podPartition, shards } from './keys.ts';
import { currentRuleSet } from './neighbourhood.ts';
import { readAllPools } from './sliceRows.ts';
import { readAllStanding } from './standingRows.ts';
import { isLive, readObjectRow, type State } from './state.ts';
import { readWatched } from './waveRows.ts';

export async function readClusterSnapshot(state: State, settings: InstallationSettings): Promise<Snapshot> {
  const [pods, claims, { slices, taintSlices }, { rules, policies, classes, namespaces, podGroups, modes }] =
    await Promise.all([
      readLive<Pod>(state, podPartition),
      readLive<ResourceClaim>(state, claimPartition),
      readAllPools(state),
      currentRuleSet(state),
    ]);
  const snapshot = snapshotOf({ pods, claims, slices, rules, settings: settingsFor(settings, { podGroups }) });
  const agentTaints = agentTaintsOf(taintSlices, snapshot.pools);
  const [remembered, standing, waves] = await Promise.all([
    readAllRemembered(state, snapshot),
    policies.some(asksForAge) ? readAllStanding(state) : new Map(),
    readWatched(state, policies),
  ]);
  const ruleSet = { policies, classes, namespaces, modes };
  return { ...snapshot, ...ruleSet, agentTaints, remembered, standing, waves };
}

type Partition = (cluster: ClusterId, shard: number) => string;

async function readRows(state: State, partition: Partition): Promise<readonly Row[]> {
  const ranges = shards.map((shard) => ({ pk: partition(state.cluster, shard) }));
  return (await Promise.all(ranges.map((range) => queryAll(state.table, range)))).flat();
}

async function readLive<T>(state: State, partition: Partition): Promise<readonly T[]> {
  const rows = (await readRows(state, partition)).flatMap((row) => readObjectRow<T>(row, row.sk) ?? []);
  return rows.filter(isLive).map((row) => row.object);
}
