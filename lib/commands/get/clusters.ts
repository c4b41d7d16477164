// `sluice get clusters`: the clusters of an installation and the last heartbeats of their watchers.

import { describePauses } from '../../model/pause.ts';
import { currentState } from '../../state/incarnationRows.ts';
import { readHeartbeat, staleAfter } from '../../state/liveness.ts';
import { readPauses } from '../../state/pauseRows.ts';
import { Failure, UsageFailure } from '../failure.ts';
import { knownClusters } from '../installation/clusters.ts';
import type { OpenInstallation } from '../installation/open.ts';
import { nearestHelp } from '../nearest.ts';
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
  const { target } = open;
  const names = (await knownClusters(open)) ?? (target.cluster === undefined ? undefined : [target.cluster]);
  if (!names) throw new UsageFailure('the state table has no list of clusters', 'specify the stack: --stack NAME');
  if (by.name !== undefined && !names.includes(by.name))
    throw new Failure(`the installation has no cluster ${by.name}`, nearestHelp(by.name, names, 'sluice get clusters'));
  const wanted = by.name === undefined ? names : [by.name];
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

async function readRow({ table }: OpenInstallation, name: string): Promise<ClusterRow> {
  const state = await currentState(table, name);
  const [heardAt, pauses] = await Promise.all([readHeartbeat(state), readPauses(state)]);
  return { name, pauses: describePauses(pauses), ...(heardAt === undefined ? {} : { heardAt }) };
}
