// `sluice console`: serves pages about one cluster on this machine, with the rights of the user's kubeconfig.

import { clusterNameOf } from '../../model/identity.ts';
import { createProgressReader } from '../../view/readModel.ts';
import { kubeconfigOf, openCluster, requireAnswer } from '../cluster/open.ts';
import { startConsole } from '../console/server.ts';
import type { TableSource } from '../console/source.ts';
import type { Call } from '../definition.ts';
import { numberFlag } from '../flags.ts';
import { chooseInstallation } from '../installation/choose.ts';
import { requireCluster } from '../installation/clusters.ts';
import { type OpenInstallation, stateOf, withInstallation } from '../installation/open.ts';
import { line } from '../io.ts';

const tableHint = 'Start the console with --table NAME or --stack NAME, and AWS credentials, to see them.';

/** Shows the cluster of the kubeconfig, the state table of the installation, or both. */
export async function run(call: Call): Promise<number> {
  const hasCluster = kubeconfigOf(call) !== undefined;
  const { io } = call;
  const { isRead, why } = await chooseInstallation(call, (open) => tableOf(open, io.now));
  if (isRead) return withInstallation(call, (open) => serve(call, { hasCluster, open }));
  if (why !== undefined) line(io.err, `progress, timeline and records are not available: ${why}`);
  return serve(call, { hasCluster });
}

async function serve(
  call: Call,
  { hasCluster, open }: { readonly hasCluster: boolean; readonly open?: OpenInstallation },
): Promise<number> {
  const { flags, io } = call;
  const port = numberFlag(flags, 'port', { most: 65_535, isWhole: true }) ?? 0;
  const table = open && (await tableOf(open, io.now));
  const cluster = hasCluster ? await openCluster(call) : undefined;
  try {
    if (cluster && !table) await requireAnswer(cluster);
    const page = await startConsole({
      name: open?.target.cluster ?? cluster?.context ?? '',
      ...(cluster ? { cluster } : {}),
      ...(table ? { table } : {}),
      tableHint,
      io,
      port,
    });
    line(io.out, page.url);
    line(io.err, 'stop: Ctrl-C');
    while (!io.signal.aborted) await io.sleep(3_600_000);
    await page.stop();
    return 0;
  } finally {
    cluster?.client.close();
  }
}

async function tableOf(open: OpenInstallation, now: () => number): Promise<TableSource> {
  const state = () => stateOf(open);
  await requireCluster(open, clusterNameOf((await state()).cluster));
  return { state, progress: createProgressReader(state, { now }) };
}
