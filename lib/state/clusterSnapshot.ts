// The whole cluster as the table has it, for previews; reads every row of four kinds.

import { agentTaintsOf } from '../decide/taintSlice.ts';
import type { Pod, ResourceClaim, ResourceSlice } from '../model/objects.ts';
import { type InstallationSettings, type Snapshot, settingsFor, snapshotOf } from '../model/snapshot.ts';
import type { DeviceTaintSlice } from '../model/taintSlice.ts';
import { queryAll } from '../table.ts';
import { readAllRemembered } from './deviceRows.ts';
import { claimPartition, podPartition, shards, slicePartition } from './keys.ts';
import { currentRuleSet } from './neighbourhood.ts';
import { byKind } from './sliceRows.ts';
import { readObjectRow, type State } from './state.ts';

export async function readClusterSnapshot(state: State, settings: InstallationSettings): Promise<Snapshot> {
  const [pods, claims, objects, { rules, policies, classes, podGroups }] = await Promise.all([
    readLive<Pod>(state, podPartition),
    readLiveClaims(state),
    readLive<ResourceSlice | DeviceTaintSlice>(state, slicePartition),
    currentRuleSet(state),
  ]);
  const { slices, taintSlices } = byKind(objects);
  const snapshot = snapshotOf({ pods, claims, slices, rules, settings: settingsFor(settings, { podGroups }) });
  const agentTaints = agentTaintsOf(taintSlices, snapshot.pools);
  return { ...snapshot, policies, classes, agentTaints, remembered: await readAllRemembered(state, snapshot) };
}

export function readLiveClaims(state: State): Promise<readonly ResourceClaim[]> {
  return readLive<ResourceClaim>(state, claimPartition);
}

async function readLive<T>(state: State, partition: (cluster: string, shard: number) => string): Promise<readonly T[]> {
  const pages = await Promise.all(
    shards.map((shard) => queryAll(state.table, { pk: partition(state.cluster, shard) })),
  );
  const rows = pages.flat().flatMap((row) => readObjectRow<T>(row, row.sk) ?? []);
  return rows.filter((row) => !row.gone).map((row) => row.object);
}
