// `sluice get clusters`: the clusters of an installation and the last heartbeats of their watchers.

import { describePauses } from '../../model/pause.ts';
import { currentState } from '../../state/incarnationRows.ts';
import { readHeartbeat, staleAfter } from '../../state/liveness.ts';
import { readPauses } from '../../state/pauseRows.ts';
import { UsageFailure } from '../failure.ts';
import { knownClusters, requireCluster } from '../installation/clusters.ts';
import type { OpenInstallation } from '../installation/open.ts';
import type { Found } from '../output/print.ts';
import { ageText } from './age.ts';

interface ClusterRow {
  readonly name: string;
  readonly heardAt?: number;
  readonly pauses: string;
}

export async function clustersFound(
  open: OpenInstallation,
  by: { readonly name: string | undefined; readonly now: number },
): Promise<Found<ClusterRow>> {
  const wanted = by.name === undefined ? await allNames(open) : [by.name];
  if (by.name !== undefined) await requireCluster(open, by.name);
  const items = await Promise.all(wanted.map((name) => readRow(open, name)));
  const watcher = ({ heardAt }: ClusterRow) => {
    if (heardAt === undefined) return 'no heartbeat yet';
    return by.now - heardAt < staleAfter ? 'alive' : `last heartbeat ${ageText(by.now - heardAt)} ago`;
  };
  return {
    items,
    columns: [
      { name: 'NAME', of: ({ name }) => name, isName: true },
      { name: 'WATCHER', of: watcher },
      { name: 'PAUSED', of: ({ pauses }) => pauses },
    ],
    object: (one) => ({ kind: 'Cluster', name: one.name, watcher: watcher(one), pauses: one.pauses }),
    name: ({ name }) => `cluster/${name}`,
    isSingle: by.name !== undefined,
    noun: 'clusters',
  };
}

async function allNames(open: OpenInstallation): Promise<readonly string[]> {
  const { cluster } = open.target;
  const names = (await knownClusters(open)) ?? (cluster === undefined ? undefined : [cluster]);
  if (!names) throw new UsageFailure('the state table has no list of clusters', 'specify the stack: --stack NAME');
  return names;
}

async function readRow({ table }: OpenInstallation, name: string): Promise<ClusterRow> {
  const state = await currentState(table, name);
  const [heardAt, pauses] = await Promise.all([readHeartbeat(state), readPauses(state)]);
  return { name, pauses: describePauses(pauses), ...(heardAt === undefined ? {} : { heardAt }) };
}
