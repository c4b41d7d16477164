// `sluice uninstall`: stops evictions, removes Sluice from the clusters, then the stack, so that no eviction is half done.
import { stringify } from 'yaml';
import type { Config } from '../../config/schema.ts';
import { withCluster } from '../cluster/open.ts';
import { isConfirmed } from '../confirm.ts';
import type { Call } from '../definition.ts';
import { Failure } from '../failure.ts';
import { isSet, numberFlag } from '../flags.ts';
import { eachCluster, namedCall } from '../install/apply.ts';
import { checkHelm, removeChart } from '../install/chart.ts';
import { removeObjects, removeRest } from '../install/objects.ts';
import { withStack } from '../install/stack.ts';
import { asTarget, missingStack, readTarget, type Target } from '../install/target.ts';
import { openWorkspace } from '../install/workspace.ts';
import { MissingTable, withInstallation } from '../installation/open.ts';
import { unreadStack } from '../installation/stack.ts';
import { line } from '../io.ts';
import { authorOf } from '../pause/author.ts';
import { pauseInTable, requireStillPaused, waitUntilSettled } from '../pause/tablePause.ts';

export async function run(call: Call): Promise<number> {
  const { flags, io } = call;
  const target = await readTarget(call, { isFirst: false });
  const { stackName, region, account, config } = target;
  const [clustersOnly, keepRecords] = [isSet(flags, 'clustersOnly'), isSet(flags, 'keepRecords')];
  if (account.unread !== undefined && !clustersOnly) throw unreadStack({ stack: stackName, region }, account.unread);
  if (account.deployed === undefined && !clustersOnly)
    throw new Failure(missingStack(target), 'to remove what is in the clusters: --clusters-only');
  await checkHelm(io);
  const clusters = config.clusters.map(({ name }) => name).join(', ');
  const stack = clustersOnly
    ? 'keep the stack'
    : `delete stack ${stackName} in ${region} ${keepRecords ? 'but keep its table' : 'including all eviction records'}`;
  const what = `emove Sluice with all of its rules from clusters ${clusters}, and ${stack}`;
  if (isSet(flags, 'dryRun')) line(io.out, `would r${what}`);
  if (!(await isConfirmed(call, `R${what}?`))) return 0;
  if (!clustersOnly) await stopEvictions(call, target).catch((error: unknown) => withoutTable(call, error));
  await eachCluster(call, target, async (named, { name }) => {
    line(io.err, `removing rules, chart and CRDs from ${name}`);
    const there = namedCall(call, named);
    await withCluster(there, ({ client }) => removeObjects(client, io));
    await removeChart(io, named);
    await withCluster(there, ({ client }) => removeRest(client));
  });
  if (!clustersOnly) {
    line(io.err, `removing stack ${stackName}`);
    const from = {
      file: target.file,
      text: stringify(unprotected(config, keepRecords)),
      workspace: await openWorkspace(io),
    };
    await withStack(call, from, async (stack) => {
      // Removes termination and deletion protection first.
      await stack.deploy();
      await stack.destroy();
    });
  }
  line(io.out, `removed from ${clusters}; ${clustersOnly ? 'the stack was kept' : `stack ${stackName} was deleted`}`);
  line(
    io.out,
    'not removed: sluice.yaml, the CDK bootstrap stack CDKToolkit with its bucket, and conditions in the status of native rules',
  );
  return 0;
}

/** Without their table, which an earlier removal deleted, no function evicts. */
function withoutTable({ io }: Call, error: unknown): void {
  if (!(error instanceof MissingTable)) throw error;
  line(io.err, `${error.message}: nothing to stop`);
}

/** Pauses every cluster and waits until no DELETE is in flight. */
async function stopEvictions(call: Call, target: Target): Promise<void> {
  const { flags, io } = call;
  line(io.err, 'stopping evictions');
  const within = 1000 * (numberFlag(flags, 'timeout') ?? 60);
  await withInstallation(asTarget(call, target), async (open) => {
    const by = { by: await authorOf(call), why: 'sluice uninstall', since: io.now() };
    const pause = { cluster: undefined, name: 'uninstall' };
    await pauseInTable(open, pause, by);
    await waitUntilSettled(open, { cluster: undefined, io, within });
    await requireStillPaused(open, pause);
  });
}

/** Termination protection would prevent deleting the stack, deletion protection deleting its table. */
export function unprotected(config: Config, keepRecords: boolean): Config {
  return {
    ...config,
    removal: keepRecords ? { policy: 'retain', terminationProtection: false } : { policy: 'destroy' },
  };
}
