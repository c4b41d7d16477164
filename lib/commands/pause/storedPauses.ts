// Pauses known from the state table: of everything, of clusters, and of objects in clusters that are not read by kubeconfig.
import { type ClusterName, type Incarnation, incarnationOf } from '../../model/identity.ts';
import { managerText, parseNote } from '../../model/note.ts';
import { formatInstant } from '../../model/time.ts';
import { currentState } from '../../state/incarnationRows.ts';
import { readPauses } from '../../state/pauseRows.ts';
import { readRules } from '../../state/ruleSetRows.ts';
import type { State } from '../../state/state.ts';
import { readStandingStops } from '../../state/stopRows.ts';
import { knownClusters, requireCluster } from '../installation/clusters.ts';
import type { OpenInstallation } from '../installation/open.ts';
import { annotatedRows, type PauseRow } from './pauseRows.ts';

/** Complete if the clusters are known. `asked`: incarnation of the cluster whose objects its API server already returned, if any. */
export async function readStoredPauses(
  open: OpenInstallation,
  { now, asked }: { readonly now: number; readonly asked: Promise<Incarnation | undefined> },
): Promise<{ readonly rows: readonly PauseRow[]; readonly isComplete: boolean }> {
  const { cluster: named } = open.target;
  const known = (named === undefined ? await knownClusters(open) : await requireCluster(open, named)) ?? named;
  const clusters = [known ?? []].flat();
  const set = await Promise.all(['*', ...clusters].map((cluster) => pausesOf(open, cluster)));
  const found = await Promise.all(
    clusters.map(async (cluster) => {
      const state = await currentState(open.table, cluster);
      if (incarnationOf(state.cluster) === (await asked)) return [];
      const rows = [...(await stopsOf(state, cluster, now)), ...(await objectsOf(state, cluster))];
      return rows.map((row) => ({ ...row, object: `cluster/${cluster}/${row.object}` }));
    }),
  );
  return { rows: [...set, ...found].flat(), isComplete: known !== undefined };
}

/** Pauses of one cluster; `*`: those of every cluster. */
async function pausesOf({ table }: OpenInstallation, cluster: ClusterName): Promise<readonly PauseRow[]> {
  const pauses = await readPauses({ table, cluster });
  return pauses
    .filter(({ of }) => of === (cluster === '*' ? 'everything' : 'cluster'))
    .map(({ name, why, since, by }) => ({
      what: cluster === '*' ? 'every cluster' : `cluster ${cluster}`,
      object: `cluster/${cluster}`,
      name,
      since: formatInstant(since),
      why,
      ...(by === undefined ? {} : { by }),
    }));
}

/** EvictionStops as stages last read them. */
async function stopsOf(state: State, cluster: ClusterName, now: number): Promise<readonly PauseRow[]> {
  const noted = await readStandingStops(state, now);
  if (!noted) return [];
  const what = `cluster ${cluster}`;
  if (noted.stops.length === 0)
    return [{ what, object: 'evictionstop.sluice.dev', name: 'EvictionStop', why: noted.why }];
  return noted.stops.map(({ name, reason = '', by, since }) => ({
    what,
    object: `evictionstop.sluice.dev/${name}`,
    name: `EvictionStop ${name}`,
    ...(by === undefined ? {} : { by: managerText(by) }),
    ...(since === undefined ? {} : { since: formatInstant(since) }),
    ...parseNote(reason),
  }));
}

async function objectsOf(state: State, cluster: ClusterName): Promise<readonly PauseRow[]> {
  const { rows, policies, namespaces } = await readRules(state);
  return [...rows, ...policies, ...namespaces]
    .filter(({ gone }) => !gone)
    .flatMap(({ object: { kind, name, annotations, ...object } }) => {
      const isPaused = 'paused' in object && object.paused === true;
      return annotatedRows(
        { kind, metadata: { name, annotations }, spec: { paused: isPaused } },
        `${kind} ${name} of cluster ${cluster}`,
      );
    });
}
