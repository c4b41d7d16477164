// The command line.
import { Command, InvalidArgumentError, Option } from 'commander';
import { type LocalFlags, runLocal } from '../lib/local/runLocal.ts';

const program = new Command('sluice')
  .description('Paced, explainable eviction of pods from tainted devices.')
  .showHelpAfterError();

interface StartFlags extends LocalFlags {
  readonly printRbac?: boolean;
  readonly ownNative?: boolean;
}

program
  .command('start', { isDefault: true })
  .description('evict pods from tainted devices on this machine: in a simulated fleet, or in a real cluster')
  .option('--once', 'run the scenario on the simulated fleet to its end')
  .option('--json', 'with --once: the figures as one JSON object on the last line')
  .option('--kubeconfig <file>', 'act on the cluster of this kubeconfig until SIGINT or SIGTERM')
  .option('--print-rbac', 'print the roles that Sluice needs in a cluster, and end')
  .option(
    '--project-rules',
    'with --kubeconfig: write native rules for PacedTaintRules, so that the scheduler keeps new pods away',
  )
  .addOption(
    new Option('--native <mode>', 'with --kubeconfig: who acts on native rules and slice taints')
      .choices(['own', 'shadow', 'off', 'detect'])
      .default('detect'),
  )
  .addOption(
    new Option('--paced <mode>', 'with --kubeconfig: the same of PacedTaintRules and DeviceTaintSlices')
      .choices(['own', 'shadow', 'off'])
      .default('own'),
  )
  .option('--own-native', 'the same as --native own: even where the in-tree controller seems active')
  .option('--port <n>', 'port of the local page; 0 takes a free one', parsePort, 0)
  .action(async (flags: StartFlags) => {
    process.exitCode = await runStart(flags);
  });

function parsePort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new InvalidArgumentError('a port is a number from 0 to 65535');
  return port;
}

async function runStart(flags: StartFlags): Promise<number> {
  if (flags.printRbac) {
    const { renderRbac } = await import('../lib/adapters/kubernetes/rbac.ts');
    console.log(renderRbac());
    return 0;
  }
  return runLocal({ ...flags, native: flags.ownNative ? 'own' : flags.native });
}

program.parseAsync().catch((error: unknown) => {
  console.error(`sluice: ${error instanceof Error ? error.message : error}`);
  process.exit(1);
});
