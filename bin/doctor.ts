// `npm run doctor`: looks at an installation in AWS, or at a cluster by its kubeconfig, and says what is wrong and what to do.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Command } from 'commander';
import { parse } from 'yaml';
import { systemClock } from '../lib/adapters/clock.ts';
import { createApiClient } from '../lib/adapters/kubernetes/apiClient.ts';
import { credentialsFromFile } from '../lib/adapters/kubernetes/credentials.ts';
import { evictRules, ownershipRules, reportRules, watcherRules } from '../lib/adapters/kubernetes/rbac.ts';
import { checkCluster } from '../lib/doctor/checkCluster.ts';
import { checkInstallation } from '../lib/doctor/checkInstallation.ts';
import { type Definition, readDefinition } from '../lib/doctor/definitions.ts';
import { type Finding, render } from '../lib/doctor/finding.ts';
import { gather } from '../lib/doctor/gather.ts';
import { processEnvironment } from '../lib/lambda/environment.ts';
import { openKubeconfig } from '../lib/local/kubeconfig.ts';

interface Flags {
  readonly kubeconfig?: string;
  readonly stack: string;
  readonly region?: string;
  readonly account?: string;
  readonly json?: boolean;
  readonly drift?: boolean;
  readonly probe: boolean;
}

async function examine(flags: Flags): Promise<readonly Finding[]> {
  if (flags.kubeconfig === undefined) {
    const region = flags.region ?? processEnvironment.AWS_REGION ?? processEnvironment.AWS_DEFAULT_REGION;
    if (region === undefined) throw new Error('no region: name one by --region or in AWS_REGION');
    const expected = flags.account === undefined ? {} : { expectedAccount: flags.account };
    const drift = flags.drift ? { drift: { sleep: systemClock.sleep } } : {};
    return checkInstallation(await gather({ stack: flags.stack, region, ...expected, ...drift, now: Date.now() }));
  }
  const opened = await openKubeconfig(flags.kubeconfig);
  const { endpoint, auth } = opened.connection;
  if (auth.kind !== 'file') throw new Error(`${flags.kubeconfig} has no credentials that can be used here`);
  const client = createApiClient(opened.connection, credentialsFromFile(auth.path));
  try {
    const roles = [watcherRules, evictRules, reportRules, ownershipRules];
    const definitions = releasedDefinitions();
    return await checkCluster({
      name: flags.kubeconfig,
      endpoint,
      client,
      roles,
      definitions,
      clock: systemClock,
      probes: flags.probe,
    });
  } finally {
    client.close();
    await opened.stop();
  }
}

/** Of this release. */
function releasedDefinitions(): readonly Definition[] {
  const folder = path.join(import.meta.dirname, '..', 'deploy', 'chart', 'crds');
  const files = readdirSync(folder).sort();
  return files.map((file) => readDefinition(parse(readFileSync(path.join(folder, file), 'utf8'))));
}

/** Exit status 1 where there is a problem, 2 where nothing could be looked at. */
new Command('doctor')
  .description('Says what is wrong with an installation in AWS, or with a cluster, and what to do about it.')
  .option('--kubeconfig <file>', 'look at the cluster of this kubeconfig instead of an installation')
  .option('--stack <name>', 'CloudFormation stack of the installation', 'Sluice')
  .option('--region <name>', 'AWS region of the stack; by default that of the environment')
  .option('--account <id>', 'AWS account that the credentials must be of')
  .option('--drift', 'have CloudFormation look for what was changed by hand, which takes a minute')
  .option(
    '--no-probe',
    'with --kubeconfig: do not write a rule that does nothing, to see whether another controller answers',
  )
  .option('--json', 'one JSON object per finding')
  .showHelpAfterError()
  .action(async (flags: Flags) => {
    const findings = await examine(flags);
    for (const finding of findings) console.log(flags.json ? JSON.stringify(finding) : render(finding));
    const count = (kind: Finding['kind']) => findings.filter((one) => one.kind === kind).length;
    if (!flags.json) console.log(`${count('Ok')} ok, ${count('Warning')} to look at, ${count('Problem')} wrong`);
    process.exitCode = count('Problem') > 0 ? 1 : 0;
  })
  .parseAsync()
  .catch((error: unknown) => {
    console.error(`doctor: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 2;
  });
