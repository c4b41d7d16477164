// `sluice console`: the page of one cluster, served on this machine from the state table.
import { clusterNameOf } from '../../model/identity.ts';
import { createProgressReader } from '../../view/readModel.ts';
import type { Call } from '../definition.ts';
import { numberFlag } from '../flags.ts';
import { requireCluster } from '../installation/clusters.ts';
import { stateOf, withInstallation } from '../installation/open.ts';
import { line } from '../io.ts';

export async function run(call: Call): Promise<number> {
  const { flags, io } = call;
  const port = numberFlag(flags, 'port', { most: 65_535, isWhole: true }) ?? 0;
  return withInstallation(call, async (open) => {
    const state = await stateOf(open);
    await requireCluster(open, clusterNameOf(state.cluster));
    const [{ startConsole }, { shareReads }] = await Promise.all([
      import('../../local/console/server.ts'),
      import('../../local/console/shareReads.ts'),
    ]);
    const page = await startConsole({
      read: shareReads(createProgressReader(() => stateOf(open), { now: io.now })),
      port,
    });
    line(io.out, page.url);
    line(io.err, 'stop: Ctrl-C');
    while (!io.signal.aborted) await io.sleep(3_600_000);
    await page.stop();
    return 0;
  });
}
