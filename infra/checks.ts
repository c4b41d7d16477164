// What can be known to be wrong before anything is deployed; each text names the thing, the value and the remedy.
import { X509Certificate } from 'node:crypto';
import { outputNameOf, type Stage, stages } from '../lib/contract.ts';
import { checkPlace, type Place } from './checkPlace.ts';
import { connectionsOf, fileLimit, queueNamesOf } from './environment.ts';
import { type ClusterProps, logLevels, type SluiceProps } from './props.ts';

/** Characters of a queue name (SQS quota), less `_dead`. */
const longestQueueName = 75;

/** Quotas of AWS Lambda and SQS; a batch above 10 would need a batching window. */
const ranges = {
  timeout: [1, 900],
  memoryMiB: [128, 10_240],
  batchSize: [1, 10],
  maxConcurrency: [2, 1000],
} as const;
const queueRanges = { visibilityTimeout: [1, 43_200], maxReceiveCount: [1, 1000] } as const;

/** Throws an error that lists everything that is wrong. */
export function checkProps({ stackName, ...place }: Place & { readonly stackName: string }, props: SluiceProps): void {
  const problems = [
    ...checkClusters(props.clusters),
    ...checkQueueNames(stackName, props.clusters),
    ...checkFiles(props.clusters),
    ...checkPlace(props.clusters, place),
    ...checkLimits(props),
  ];
  if (props.logLevel !== undefined && !logLevels.includes(props.logLevel))
    problems.push(`log level "${props.logLevel}" is not one of ${logLevels.join(', ')}`);
  if (problems.length > 0) throw new Error(`Sluice cannot be deployed like this: ${problems.join('; ')}`);
}

function checkClusters(clusters: readonly ClusterProps[]): readonly string[] {
  if (clusters.length === 0) return ['`clusters` is empty: name at least one'];
  const outputNames = clusters.map(({ name }) => outputNameOf(name));
  const again = clusters.find((one, i) => outputNames.indexOf(outputNameOf(one.name)) !== i);
  return [
    ...clusters.flatMap((cluster) => checkCluster(cluster).map((problem) => `cluster "${cluster.name}": ${problem}`)),
    ...(again ? [`cluster "${again.name}": the name is taken; a difference in dashes alone does not count`] : []),
  ];
}

function checkCluster({ name, endpoint, certificateAuthority, auth, native, ...rest }: ClusterProps): string[] {
  const problems: string[] = [];
  if (!/^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/.test(name))
    problems.push('the name must be of lower-case letters, digits and dashes, at most 40');
  if (!/^https:\/\/[^/?#\s]+\/?$/.test(endpoint))
    problems.push(`endpoint "${endpoint}" must be https://<host>[:<port>]`);
  if (certificateAuthority !== undefined && !certificateAuthority.includes('-----BEGIN CERTIFICATE-----'))
    problems.push('certificateAuthority must be PEM; a kubeconfig has it in base64, decode that first');
  else if (certificateAuthority !== undefined) problems.push(...checkAuthority(certificateAuthority));
  problems.push(...checkModes({ native, paced: rest.paced ?? 'own' }), ...checkInTree(rest));
  if (!['eks', 'file', 'outbound'].some((kind) => kind === auth?.kind))
    problems.push('auth.kind must be eks, file or outbound');
  if (rest.executorRoleArn !== undefined && auth?.kind !== 'outbound')
    problems.push('executorRoleArn is for clusters that evict from within: set auth.kind to outbound, or leave it out');
  if (rest.accessEntry && auth?.kind !== 'eks')
    problems.push('accessEntry is for EKS clusters: set auth.kind to eks, or leave it out');
  for (const name of ['watcherRoleArn', 'executorRoleArn'] as const)
    if (rest[name] !== undefined && !/^arn:aws[a-z-]*:iam::\d{12}:role\/.+$/.test(rest[name]))
      problems.push(`${name} "${rest[name]}" must be the ARN of an IAM role`);
  return [...problems, ...checkLimit(rest)];
}

function checkLimit({ maxEvictionsPerSecond: most }: Pick<ClusterProps, 'maxEvictionsPerSecond'>): readonly string[] {
  return most === undefined || (most >= 0 && most <= 10_000)
    ? []
    : [`maxEvictionsPerSecond ${most} must be a number from 0 to 10000`];
}

function checkModes(modes: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(modes)
    .filter(([, mode]) => !['own', 'shadow', 'off'].includes(mode))
    .map(([source, mode]) => `${source} "${mode}" must be own, shadow or off`);
}

function checkInTree({ inTree = 'heed' }: Pick<ClusterProps, 'inTree'>): readonly string[] {
  return ['heed', 'ignore'].includes(inTree) ? [] : [`inTree "${inTree}" must be heed or ignore`];
}

/** Each of its certificates; a bundle has the old and the new one while a cluster changes. */
function checkAuthority(pem: string): readonly string[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [''];
  return blocks.flatMap((block, i) => {
    try {
      new X509Certificate(block);
      return [];
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return [
        `certificate ${i + 1} of certificateAuthority cannot be read (${why}): take it anew from aws eks describe-cluster, or from a kubeconfig and decoded`,
      ];
    }
  });
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

function checkLimits({ limits = {}, visibilityTimeout, maxReceiveCount }: SluiceProps): readonly string[] {
  const ofStages = Object.entries(limits).flatMap(([stage, own]) =>
    stages.includes(stage as Stage) ? checkRanges(`${stage}.`, own, ranges) : [`limits: there is no stage "${stage}"`],
  );
  return [...ofStages, ...checkRanges('', { visibilityTimeout, maxReceiveCount }, queueRanges)];
}

function checkRanges(
  prefix: string,
  values: Readonly<Record<string, number | undefined>>,
  allowed: Readonly<Record<string, readonly [number, number]>>,
): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const range = allowed[name];
    if (!range) return [`there is no limit "${prefix}${name}": ${Object.keys(allowed).join(', ')}`];
    if (value === undefined) return [];
    const [lowest, highest] = range;
    if (Number.isInteger(value) && value >= lowest && value <= highest) return [];
    return [`${prefix}${name} is ${value}: it must be a whole number from ${lowest} to ${highest}`];
  });
}
