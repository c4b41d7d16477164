// Checks of the construct's properties before deployment; each text names property, value and remedy.
import { type Stack, Token } from 'aws-cdk-lib';
import { longestQueueName } from '../lib/config/clusterNames.ts';
import type { Place } from '../lib/config/contradictions.ts';
import { installationProblems } from '../lib/config/installation.ts';
import { formatPath } from '../lib/config/problem.ts';
import { stages } from '../lib/contract.ts';
import { connectionsOf, fileLimit, queueNamesOf } from './environment.ts';
import type { ClusterProps, SluiceProps } from './props.ts';

/** Throws an error that lists all problems. */
export function checkProps({ stackName, ...place }: Place & { readonly stackName: string }, props: SluiceProps): void {
  const found = installationProblems(plainOf(props), place).map(({ path, text }) => `${formatPath(path)}: ${text}`);
  // Queue names and file sizes can be checked only for valid clusters.
  const problems =
    found.length > 0 ? found : [...checkQueueNames(stackName, props.clusters), ...checkFiles(props.clusters)];
  if (problems.length > 0) throw new Error(`Sluice cannot be deployed like this: ${problems.join('; ')}`);
}

/** Converts the properties to the format of sluice.yaml. */
function plainOf({
  clusters,
  settings,
  limits,
  visibilityTimeout,
  maxReceiveCount,
  logLevel,
  recordDays,
}: SluiceProps): object {
  return {
    clusters,
    settings,
    limits: { ...limits, visibilityTimeout, maxReceiveCount },
    logLevel,
    retention: { records: recordDays },
  };
}

function checkQueueNames(stackName: string, clusters: readonly ClusterProps[]): readonly string[] {
  const queueNames = stages.flatMap((stage) => Object.values(queueNamesOf(stackName, stage, clusters)));
  return queueNames
    .filter((name) => name.length > longestQueueName)
    .map((name) => `queue name "${name}" is longer than ${longestQueueName}: shorten the stack's or cluster's name`);
}

function checkFiles(clusters: readonly ClusterProps[]): readonly string[] {
  const size = connectionsOf(clusters, true).length;
  if (size <= fileLimit) return [];
  return [
    `the connections of ${clusters.length} clusters take ${size} bytes, more than ${fileLimit}: spread the clusters over several stacks`,
  ];
}

/** Account and region, if known before the deployment. */
export function placeOf({ stackName, account, region }: Stack) {
  return {
    stackName,
    ...(Token.isUnresolved(account) ? {} : { account }),
    ...(Token.isUnresolved(region) ? {} : { region }),
  };
}
