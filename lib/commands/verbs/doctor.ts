// `sluice doctor`: checks an installation in AWS, or a cluster by kubeconfig, and prints problems with remedies.
import type { Finding } from '../../doctor/finding.ts';
import { isClusterNamed, kubeconfigOf } from '../cluster/open.ts';
import type { Call } from '../definition.ts';
import { refuseUnread } from '../doctorNames.ts';
import { examineCluster, examineInstallation, printFindings } from '../examine.ts';
import { configuredTarget } from '../installation/target.ts';
import { formatOf, printFound } from '../output/print.ts';

/** Returns status 1 if there is a problem. */
export async function run(call: Call): Promise<number> {
  const format = await formatOf(call);
  const findings = await examine(call);
  if (format.kind === 'table' || format.kind === 'wide') {
    printFindings(call.io, findings);
  } else {
    const found = { items: findings, columns: [], object: (one: Finding) => one, name: (one: Finding) => one.subject };
    await printFound(call, { ...found, noun: 'findings' }, format);
  }
  return findings.some(({ kind }) => kind === 'Problem') ? 1 : 0;
}

async function examine(call: Call): Promise<readonly Finding[]> {
  const { flags, io } = call;
  const isNamed = isClusterNamed(call);
  const { stack, table } = configuredTarget(call);
  // Without an installation, check the cluster of the kubeconfig, which needs no AWS.
  const isAlone = stack === undefined && table === undefined && kubeconfigOf(call) !== undefined;
  if (isNamed || isAlone) refuseUnread(call, isNamed ? undefined : 'specify the installation: --stack NAME');
  return isNamed || isAlone ? examineCluster(call) : examineInstallation({ flags, io });
}
