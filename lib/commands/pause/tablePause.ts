// Pauses stored in the state table: of one cluster, or of every cluster of an installation.

import { describePauses, type Pause } from '../../model/pause.ts';
import { currentState } from '../../state/incarnationRows.ts';
import { indexLag, readIntents } from '../../state/intentRows.ts';
import { readPauses, removePause, setPause } from '../../state/pauseRows.ts';
import { createClusterReader } from '../../view/readModel.ts';
import { countText } from '../../view/words.ts';
import { Failure, NotFound } from '../failure.ts';
import { knownClusters, requireCluster } from '../installation/clusters.ts';
import type { OpenInstallation } from '../installation/open.ts';
import type { Io } from '../io.ts';
import { longestDelete } from './clusterPause.ts';

/** Milliseconds: every evictor reads pauses at least this often, and a DELETE in flight ends within its lateness bound. */
const heededAfter = 1500;
const pollInterval = 250;

export interface TablePause {
  /** Absent: every cluster. */
  readonly cluster: string | undefined;
  readonly name: string;
}

/** Returns the pause of this name if there is one, which stays as it is. */
export async function pauseInTable(
  open: OpenInstallation,
  of: TablePause,
  by: Pick<Pause, 'why' | 'since' | 'by'>,
): Promise<Pause | undefined> {
  if (of.cluster !== undefined) await requireCluster(open, of.cluster);
  const set = await setPause({ table: open.table, cluster: of.cluster }, { name: of.name, ...by });
  return set === 'Set' ? undefined : (await standing(open.table, of)).find((one) => isOf(one, of));
}

/** Throws a Failure if the pause has been ended meanwhile; the message names the remaining pauses. */
export async function requireStillPaused(open: OpenInstallation, of: TablePause): Promise<void> {
  const all = await standing(open.table, of);
  if (all.some((one) => isOf(one, of))) return;
  const what = nameOf(of);
  const stands =
    all.length === 0
      ? `${what} is no longer paused`
      : `${what} is still paused by other pauses: ${describePauses(all)}`;
  throw new Failure(`pause ${of.name} was ended during the wait; ${stands}`, 'see: sluice pauses');
}

/** Pauses in effect; for a cluster, those of every cluster too. */
async function standing(table: OpenInstallation['table'], { cluster }: TablePause): Promise<readonly Pause[]> {
  const all = await readPauses({ table, cluster: cluster ?? '*' });
  return all.filter((one) => cluster !== undefined || one.of === 'everything');
}

const isOf = (one: Pause, { cluster, name }: TablePause) =>
  one.name === name && one.of === (cluster === undefined ? 'everything' : 'cluster');

export const nameOf = ({ cluster }: TablePause) => (cluster === undefined ? 'every cluster' : `cluster ${cluster}`);

/** Checks that the cluster exists, then ends the pause. */
export async function resumeInTable(open: OpenInstallation, of: TablePause): Promise<readonly Pause[]> {
  if (of.cluster !== undefined) await requireCluster(open, of.cluster);
  return endPause(open.table, of);
}

/** Returns the remaining pauses. Throws a Failure if there is no pause of that name. */
export async function endPause(table: OpenInstallation['table'], of: TablePause): Promise<readonly Pause[]> {
  await requirePause(table, of);
  await removePause({ table, cluster: of.cluster }, of.name);
  return standing(table, of);
}

/** Throws a Failure if there is no pause of that name. */
export async function requirePause(table: OpenInstallation['table'], of: TablePause): Promise<Pause> {
  const { cluster, name } = of;
  const known = await standing(table, of);
  const found = known.find((one) => isOf(one, of));
  if (found) return found;
  const wanted = cluster === undefined ? 'everything' : 'cluster';
  const others = known.filter((one) => one.of === wanted).map((one) => one.name);
  const what = cluster === undefined ? 'everything' : nameOf(of);
  throw new NotFound(
    `there is no pause ${name} of ${what}; there are: ${others.join(', ') || 'none'}`,
    'see: sluice pauses',
  );
}

/** Message after a pause has ended. */
export function resumedText(of: TablePause, left: readonly Pause[]): string {
  const what = nameOf(of);
  return left.length === 0
    ? `evictions in ${what} resume within a minute, unless something else holds them (see: sluice get rules)`
    : `pause ${of.name} was removed; ${what} is still paused: ${describePauses(left)}`;
}

export interface Settled {
  /** Number of listed pods that are kept. */
  readonly kept: number;
  readonly clusters: readonly string[];
}

/** Waits until no DELETE is in flight. Throws a Failure after `within` milliseconds. */
export async function waitUntilSettled(
  open: OpenInstallation,
  { cluster, io, within }: { readonly cluster: string | undefined; readonly io: Io; readonly within: number },
): Promise<Settled> {
  const clusters =
    cluster === undefined ? ((await knownClusters(open)) ?? [open.target.cluster ?? []].flat()) : [cluster];
  const until = io.now() + within;
  // Without a list of clusters, intents cannot be read: wait for the longest DELETE.
  await io.sleep(heededAfter + (clusters.length === 0 ? longestDelete : indexLag));
  for (;;) {
    const states = await Promise.all(clusters.map((one) => currentState(open.table, one)));
    const open_ = await Promise.all(states.map((state) => readIntents(state, io.now())));
    const inFlight = open_.flat();
    if (inFlight.length === 0) break;
    const first = inFlight[0]?.pod;
    if (io.now() >= until || io.signal.aborted)
      throw new Failure(
        `paused, but with ${countText(inFlight.length, 'eviction')} still in flight, such as that of ${first?.namespace}/${first?.name}`,
        `see: sluice why pod ${first?.namespace}/${first?.name}`,
      );
    await io.sleep(pollInterval);
  }
  const pictures = await Promise.all(
    clusters.map((one) => createClusterReader({ table: open.table, cluster: one }, { now: io.now })()),
  );
  const kept = pictures.reduce((sum, { pods }) => sum + pods.pending + pods.waiting + pods.deleting, 0);
  return { kept, clusters };
}
