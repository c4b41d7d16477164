// Reads the facts of an installation from AWS, starting with the outputs of its stack.
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { GetFunctionConfigurationCommand, LambdaClient, paginateListEventSourceMappings } from '@aws-sdk/client-lambda';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { clustersOf } from './environmentFacts.ts';
import type { FunctionFacts, InstallationFacts, QueueFacts, TableFacts } from './facts.ts';
import { found } from './found.ts';
import { clusterFacts, type Outputs } from './gatherCluster.ts';
import { driftOf } from './gatherDrift.ts';
import { type Traffic, trafficOf } from './gatherTraffic.ts';

export interface Installation {
  readonly stack: string;
  readonly region: string;
  readonly expectedAccount?: string;
  readonly now: number;
  /** If present, CloudFormation detects drift of the stack. */
  readonly drift?: { readonly sleep: (milliseconds: number) => Promise<void> };
}

export async function gather({ stack, region, expectedAccount, now, drift }: Installation): Promise<InstallationFacts> {
  const account = await found(
    async () => (await new STSClient({ region }).send(new GetCallerIdentityCommand({}))).Account ?? '',
  );
  const described = await found(() => describeStack(stack, region));
  const outputs: Outputs = described.kind === 'Found' ? described.value.outputs : new Map();
  const functions = await Promise.all(
    named(outputs, /FunctionName$/).map(([output, name]) => functionFacts(region, { output, name })),
  );
  const queueUrls = named(outputs, /^\w+Queue\w*Url/);
  const traffic = await found(() =>
    trafficOf({ region, now, queueNames: queueUrls.map(([, url]) => url.split('/').at(-1) ?? '') }),
  );
  const queues = await Promise.all(
    queueUrls.map(async ([output, url]) =>
      withTraffic(await queueFacts(region, { output, url }), traffic.kind === 'Found' ? traffic.value : new Map()),
    ),
  );
  const tableName = outputs.get('TableName');
  const table = await found(() => tableFacts(region, tableName));
  const environment = clustersOf(functions.flatMap((one) => (one.kind === 'Found' ? [one.value] : [])));
  const roles = functions.flatMap((one) =>
    one.kind === 'Found' && /^(Evict|Report)/.test(one.output) ? [one.role] : [],
  );
  const clusters = await Promise.all(
    Object.entries(environment.clusters).map(([name, connection]) =>
      clusterFacts({ region, tableName, roles, outputs }, name, connection),
    ),
  );
  return {
    stack,
    region,
    account,
    ...(expectedAccount === undefined ? {} : { expectedAccount }),
    status: described.kind === 'Found' ? { kind: 'Found', value: described.value.status } : described,
    functions,
    queues,
    table,
    ...(environment.problem === undefined ? {} : { environmentProblem: environment.problem }),
    clusters,
    ...(drift ? { drift: await found(() => driftOf({ stack, region, ...drift })) } : {}),
    now,
  };
}

async function describeStack(stack: string, region: string) {
  const { Stacks = [] } = await new CloudFormationClient({ region }).send(
    new DescribeStacksCommand({ StackName: stack }),
  );
  const [one] = Stacks;
  if (!one) throw new Error(`there is no stack ${stack}`);
  const outputs = new Map(
    (one.Outputs ?? []).map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue] as const),
  );
  return { status: one.StackStatus ?? 'unknown', outputs };
}

function named(outputs: Outputs, pattern: RegExp): readonly (readonly [string, string])[] {
  return [...outputs].filter(([output]) => pattern.test(output)).sort();
}

async function functionFacts(region: string, { output, name }: { output: string; name: string }) {
  const client = new LambdaClient({ region });
  let role = '';
  const facts = await found(async (): Promise<FunctionFacts> => {
    const configuration = await client.send(new GetFunctionConfigurationCommand({ FunctionName: name }));
    role = configuration.Role ?? '';
    const mappings: { queueArn: string; state: string }[] = [];
    for await (const page of paginateListEventSourceMappings({ client }, { FunctionName: name }))
      for (const one of page.EventSourceMappings ?? [])
        mappings.push({ queueArn: one.EventSourceArn ?? '', state: one.State ?? 'unknown' });
    return {
      output,
      name,
      state: configuration.State ?? 'Active',
      environment: configuration.Environment?.Variables ?? {},
      mappings,
    };
  });
  return { ...facts, output, role };
}

async function queueFacts(region: string, { output, url }: { output: string; url: string }) {
  const client = new SQSClient({ region, useQueueUrlAsEndpoint: false });
  const facts = await found(async (): Promise<QueueFacts> => {
    const { Attributes = {} } = await client.send(
      new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['All'] }),
    );
    const redrive: unknown = JSON.parse(Attributes.RedrivePolicy ?? '{}');
    const target =
      typeof redrive === 'object' && redrive !== null && 'deadLetterTargetArn' in redrive
        ? String(redrive.deadLetterTargetArn)
        : undefined;
    return {
      output,
      url,
      arn: Attributes.QueueArn ?? '',
      waiting: Number(Attributes.ApproximateNumberOfMessages ?? 0),
      visibilityTimeout: Number(Attributes.VisibilityTimeout ?? 0),
      ...(target === undefined ? {} : { deadLetterQueue: target }),
    };
  });
  return { ...facts, output, url };
}

type GatheredQueue = Awaited<ReturnType<typeof queueFacts>>;

/** Adds CloudWatch figures; receives only for queues of outbound clusters, which are polled from outside the stack. */
function withTraffic(queue: GatheredQueue, traffic: ReadonlyMap<string, Traffic>): GatheredQueue {
  if (queue.kind === 'Missing') return queue;
  const { poison, receives } = traffic.get(queue.url.split('/').at(-1) ?? '') ?? {};
  const isOutbound = /^(Evict|Report)QueueUrl./.test(queue.output);
  return {
    ...queue,
    value: {
      ...queue.value,
      ...(poison === undefined ? {} : { poison }),
      ...(receives === undefined || !isOutbound ? {} : { receives }),
    },
  };
}

async function tableFacts(region: string, name: string | undefined): Promise<TableFacts> {
  if (name === undefined) throw new Error('the stack has no output TableName');
  const client = new DynamoDBClient({ region });
  const [{ Table }, { TimeToLiveDescription }, { ContinuousBackupsDescription }] = await Promise.all([
    client.send(new DescribeTableCommand({ TableName: name })),
    client.send(new DescribeTimeToLiveCommand({ TableName: name })),
    client.send(new DescribeContinuousBackupsCommand({ TableName: name })),
  ]);
  return {
    name,
    status: Table?.TableStatus ?? 'unknown',
    timeToLive: TimeToLiveDescription?.TimeToLiveStatus ?? 'unknown',
    pointInTimeRecovery:
      ContinuousBackupsDescription?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus ?? 'unknown',
  };
}
