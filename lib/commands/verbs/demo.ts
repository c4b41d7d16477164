// `sluice demo`: runs all of Sluice on this machine, on a simulated fleet or a real cluster.

import type { PageOf } from '../../local/page.ts';
import type { Mode } from '../../model/ownership.ts';
import { localRun } from '../assets.ts';
import { openCluster } from '../cluster/open.ts';
import type { Call } from '../definition.ts';
import { Failure, UsageFailure } from '../failure.ts';
import { isSet, numberFlag, textFlag } from '../flags.ts';
import { type Io, line } from '../io.ts';

export async function run({ flags, io }: Call): Promise<number> {
  if (isSet(flags, 'printRbac')) {
    const { renderRbac } = await import('../../adapters/kubernetes/rbac.ts');
    line(io.out, renderRbac());
    return 0;
  }
  const [kubeconfig, paced, config] = ['kubeconfig', 'paced', 'config'].map((name) => textFlag(flags, name));
  const [once, json] = [isSet(flags, 'once'), isSet(flags, 'json')];
  if (json && !once) throw new UsageFailure('--json prints the figures of --once', 'add: --once');
  if (once && kubeconfig !== undefined)
    throw new UsageFailure('--once runs on the simulated fleet', 'omit --kubeconfig');
  refuseUnread(flags, kubeconfig);
  if (!localRun)
    throw new Failure(
      'the demo is not included in single-file executables',
      'use the npm package, or run npm start in a checkout',
    );
  const { runLocal } = await localRun();
  return runLocal({
    once,
    json,
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    native: isSet(flags, 'ownNative') ? 'own' : ((textFlag(flags, 'native') ?? 'detect') as Mode | 'detect'),
    ...(paced === undefined ? {} : { paced: paced as Mode }),
    ...(config === undefined ? {} : { config }),
    ...(isSet(flags, 'projectRules') ? { projectRules: true } : {}),
    port: numberFlag(flags, 'port', { most: 65_535, isWhole: true }) ?? 0,
    startPage: (of) => startPage(io, of),
  });
}

const ofRealCluster = {
  native: '--native',
  ownNative: '--own-native',
  paced: '--paced',
  projectRules: '--project-rules',
};

/** Refuses options that the simulated fleet does not read: the user would believe that they apply. */
function refuseUnread(flags: Call['flags'], kubeconfig: string | undefined): void {
  const unread = Object.entries(ofRealCluster).find(([name]) => flags[name] !== undefined && flags[name] !== false);
  if (kubeconfig === undefined && unread)
    throw new UsageFailure(
      `${unread[1]} has no effect on the simulated fleet, in which Sluice owns all taints`,
      `specify the cluster: --kubeconfig FILE, or omit ${unread[1]}`,
    );
}

/** Serves the console with the rights of the kubeconfig, like `sluice console`. */
async function startPage(io: Io, { kubeconfig, name, read, state, port }: PageOf) {
  const { startConsole } = await import('../console/server.ts');
  const cluster = await openCluster({ flags: { kubeconfig }, io });
  const page = await startConsole({ name, cluster, table: { state, progress: read }, tableHint: '', io, port });
  return {
    url: page.url,
    async stop() {
      await page.stop();
      cluster.client.close();
    },
  };
}
