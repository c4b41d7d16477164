// `sluice doctor`: looks at an installation in AWS, or at a cluster by its kubeconfig, and says what is wrong and what to do.
import type { Finding } from '../../doctor/finding.ts';
import { kubeconfigOf } from '../cluster/open.ts';
import type { Call } from '../definition.ts';
import { examineCluster, examineInstallation, printFindings } from '../examine.ts';
import { textFlag } from '../flags.ts';
import { configuredTarget } from '../installation/open.ts';
import { formatOf, printFound } from '../output/print.ts';

/** Status 1 where there is a problem. */
export async function run(call: Call): Promise<number> {
  const format = formatOf(call);
  const findings = await examine(call);
  if (format.kind === 'table' || format.kind === 'wide') {
    printFindings(call.io.out, findings);
  } else {
    const found = { items: findings, columns: [], object: (one: Finding) => one, name: (one: Finding) => one.subject };
    await printFound(call, { ...found, noun: 'findings' }, format);
  }
  return findings.some(({ kind }) => kind === 'Problem') ? 1 : 0;
}

async function examine(call: Call): Promise<readonly Finding[]> {
  const { flags, io } = call;
  const isNamed = textFlag(flags, 'kubeconfig') !== undefined || textFlag(flags, 'context') !== undefined;
  const { stack, table } = configuredTarget(call);
  // Where nothing names an installation, the cluster of the kubeconfig needs no AWS.
  const isAlone = stack === undefined && table === undefined && kubeconfigOf(call) !== undefined;
  return isNamed || isAlone ? examineCluster(call) : examineInstallation({ flags, io });
}
