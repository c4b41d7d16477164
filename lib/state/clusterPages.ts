// Reads a whole cluster from the table page by page, so that counting holds only a few pages in memory.
import { recallOf } from '../memory.ts';
import type { Pod, ResourceClaim } from '../model/objects.ts';
import { type InstallationSettings, type Snapshot, settingsFor, snapshotOf } from '../model/snapshot.ts';
import { livesIn, type Place, type Placed, partsOf, placedRows } from './clusterWalk.ts';
import { currentRuleSet } from './currentRules.ts';
import { claimPartition, podPartition } from './keys.ts';
import { claimKeysOf, readNeighbourhood } from './neighbourhood.ts';
import { type PodRow, readPodRow } from './podRows.ts';
import { liveClaims } from './poolPages.ts';
import { isLive, type State } from './state.ts';

/** Every live pod with all objects that decide about it. */
export function podPages(state: State, settings: InstallationSettings): AsyncGenerator<Snapshot> {
  return partsOf(placedPods(state, settings));
}

export async function* placedPods(
  state: State,
  settings: InstallationSettings,
  from?: Place,
): AsyncGenerator<Placed<Snapshot>> {
  const { classes } = await currentRuleSet(state);
  for await (const { part, behind } of placedPodRows(state, from)) {
    const pods = part.filter(isLive);
    if (pods.length > 0) yield { part: { ...(await readNeighbourhood(state, pods, settings)), classes }, behind };
  }
}

/** Every pod row, including tombstones. */
export async function* placedPodRows(state: State, from?: Place): AsyncGenerator<Placed<readonly PodRow[]>> {
  for await (const { part, behind } of placedRows(state, podPartition, from))
    yield { part: part.flatMap((row) => readPodRow(row, row.sk) ?? []), behind };
}

/** Every live pod with only its claims. */
export async function* consumerPages(state: State, settings: InstallationSettings): AsyncGenerator<Snapshot> {
  const { podGroups } = await currentRuleSet(state);
  const known = settingsFor(settings, { podGroups });
  for await (const { part } of placedRows(state, podPartition)) {
    const pods = livesIn<Pod>(part);
    const claims = await liveClaims(state, claimKeysOf(pods));
    if (pods.length > 0)
      yield snapshotOf({ pods, claims, slices: [], rules: [], settings: known, recall: recallOf(state.memory) });
  }
}

export async function* placedClaims(state: State, from?: Place): AsyncGenerator<Placed<readonly ResourceClaim[]>> {
  for await (const { part, behind } of placedRows(state, claimPartition, from))
    yield { part: livesIn<ResourceClaim>(part), behind };
}
