// Pauses in the state table: of one cluster, or of every cluster of an installation.
import { currentState } from '../../state/incarnationRows.ts';
import { indexLag, readIntents } from '../../state/intentRows.ts';
import { describePauses, type Pause, readPauses, removePause, setPause } from '../../state/pauseRows.ts';
import { createClusterReader } from '../../view/readModel.ts';
import { Failure } from '../failure.ts';
import { knownClusters, requireCluster } from '../installation/clusters.ts';
import type { OpenInstallation } from '../installation/open.ts';
import type { Io } from '../io.ts';
import { longestDelete } from './clusterPause.ts';

/** Every evictor asks at least this often whether it is paused, and a DELETE that was begun ends within its lateness. */
const heededAfter = 1500;
const pollInterval = 250;

export interface TablePause {
  /** Absent: every cluster. */
  readonly cluster: string | undefined;
  readonly name: string;
}

/** Answers the pause of this name that it replaces, if there was one. */
export async function pauseInTable(
  open: OpenInstallation,
  of: TablePause,
  by: Pick<Pause, 'why' | 'since' | 'by'>,
): Promise<Pause | undefined> {
  if (of.cluster !== undefined) await requireCluster(open, of.cluster);
  const was = (await standing(open.table, of)).find((one) => isOf(one, of));
  await setPause({ table: open.table, cluster: of.cluster }, { name: of.name, ...by });
  return was;
}

/** Throws where the pause was ended since, and says what stands instead. */
export async function requireStillPaused(open: OpenInstallation, of: TablePause): Promise<void> {
  const all = await standing(open.table, of);
  if (all.some((one) => isOf(one, of))) return;
  const what = nameOf(of);
  const stands =
    all.length === 0 ? `${what} is no longer paused` : `${what} is paused by others: ${describePauses(all)}`;
  throw new Failure(`pause ${of.name} was ended while this waited; ${stands}`, 'see: sluice pauses');
}

/** Those that hold all of what is named: of a cluster, those of everything too. */
async function standing(table: OpenInstallation['table'], { cluster }: TablePause): Promise<readonly Pause[]> {
  const all = await readPauses({ table, cluster: cluster ?? '*' });
  return all.filter((one) => cluster !== undefined || one.of === 'everything');
}

const isOf = (one: Pause, { cluster, name }: TablePause) =>
  one.name === name && one.of === (cluster === undefined ? 'everything' : 'cluster');

const nameOf = ({ cluster }: TablePause) => (cluster === undefined ? 'every cluster' : `cluster ${cluster}`);

/** Throws where there is none of that name. */
export async function resumeInTable(open: OpenInstallation, of: TablePause): Promise<readonly Pause[]> {
  if (of.cluster !== undefined) await requireCluster(open, of.cluster);
  return endPause(open.table, of);
}

/** Answers which pauses are left. Throws where there is none of that name. */
export async function endPause(table: OpenInstallation['table'], of: TablePause): Promise<readonly Pause[]> {
  const { cluster, name } = of;
  const known = await standing(table, of);
  if (!known.some((one) => isOf(one, of))) {
    const wanted = cluster === undefined ? 'everything' : 'cluster';
    const others = known.filter((one) => one.of === wanted).map((one) => one.name);
    const what = cluster === undefined ? 'everything' : nameOf(of);
    throw new Failure(
      `there is no pause ${name} of ${what}; there are: ${others.join(', ') || 'none'}`,
      'see: sluice pauses',
    );
  }
  await removePause({ table, cluster }, name);
  return standing(table, of);
}

/** What is said after a pause has ended. */
export function resumedText(of: TablePause, left: readonly Pause[]): string {
  const what = nameOf(of);
  return left.length === 0
    ? `${what} continues within a minute, at its rates`
    : `pause ${of.name} is gone; ${what} is still paused: ${describePauses(left)}`;
}

export interface Settled {
  /** Pods that were listed and stay. */
  readonly kept: number;
  readonly clusters: readonly string[];
}

/** Until no DELETE is in flight any more. Throws where that does not come true in time. */
export async function waitUntilSettled(
  open: OpenInstallation,
  { cluster, io, within }: { readonly cluster: string | undefined; readonly io: Io; readonly within: number },
): Promise<Settled> {
  const clusters =
    cluster === undefined ? ((await knownClusters(open)) ?? [open.target.cluster ?? []].flat()) : [cluster];
  const until = io.now() + within;
  // Of clusters that have no list the time alone is known after which no DELETE is in flight.
  await io.sleep(heededAfter + (clusters.length === 0 ? longestDelete : indexLag));
  for (;;) {
    const states = await Promise.all(clusters.map((one) => currentState(open.table, one)));
    const open_ = await Promise.all(states.map((state) => readIntents(state, io.now())));
    const inFlight = open_.flat();
    if (inFlight.length === 0) break;
    const first = inFlight[0]?.pod;
    if (io.now() >= until || io.signal.aborted)
      throw new Failure(
        `paused, but ${inFlight.length} evictions are not settled yet, ${first?.namespace}/${first?.name} among them`,
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
