// Pauses in the state table: of one cluster, or of every cluster of an installation.
import { currentState } from '../../state/incarnationRows.ts';
import { readIntents } from '../../state/intentRows.ts';
import { type Pause, readPauses, removePause, setPause } from '../../state/pauseRows.ts';
import { createClusterReader } from '../../view/readModel.ts';
import { Failure } from '../failure.ts';
import { knownClusters, requireCluster } from '../installation/clusters.ts';
import type { OpenInstallation } from '../installation/open.ts';
import type { Io } from '../io.ts';

/** Every evictor asks at least this often whether it is paused, and a DELETE that was begun ends within its lateness. */
const heededAfter = 1500;
const pollInterval = 250;

export interface TablePause {
  /** Absent: every cluster. */
  readonly cluster: string | undefined;
  readonly name: string;
}

export async function pauseInTable(
  open: OpenInstallation,
  of: TablePause,
  by: Pick<Pause, 'why' | 'since' | 'by'>,
): Promise<void> {
  if (of.cluster !== undefined) await requireCluster(open, of.cluster);
  await setPause({ table: open.table, cluster: of.cluster }, { name: of.name, ...by });
}

/** Throws where there is none of that name. */
export async function resumeInTable(open: OpenInstallation, { cluster, name }: TablePause): Promise<readonly Pause[]> {
  if (cluster !== undefined) await requireCluster(open, cluster);
  const wanted = cluster === undefined ? 'everything' : 'cluster';
  const read = () => readPauses({ table: open.table, cluster: cluster ?? '*' });
  const known = (await read()).filter((one) => one.of === wanted);
  if (!known.some((one) => one.name === name)) {
    const others = known.length === 0 ? 'none' : known.map((one) => one.name).join(', ');
    const what = cluster === undefined ? 'everything' : `cluster ${cluster}`;
    throw new Failure(`there is no pause ${name} of ${what}; there are: ${others}`, 'see: sluice pauses');
  }
  await removePause({ table: open.table, cluster }, name);
  return read();
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
  await io.sleep(heededAfter);
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
