// What a test reads from the emulated account: queues, functions, logs, policies, and what is left of a stack.
import { CloudFormationClient, ListStacksCommand } from '@aws-sdk/client-cloudformation';
import { CloudWatchClient, DescribeAlarmsCommand, ListDashboardsCommand } from '@aws-sdk/client-cloudwatch';
import {
  CloudWatchLogsClient,
  DescribeLogGroupsCommand,
  FilterLogEventsCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient, ListTablesCommand, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { IAMClient } from '@aws-sdk/client-iam';
import {
  GetFunctionConfigurationCommand,
  LambdaClient,
  ListEventSourceMappingsCommand,
  ListFunctionsCommand,
} from '@aws-sdk/client-lambda';
import { GetQueueAttributesCommand, ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';

export interface Cloud {
  readonly sqs: SQSClient;
  readonly dynamoDb: DynamoDBClient;
  readonly lambda: LambdaClient;
  readonly iam: IAMClient;
  readonly cloudWatch: CloudWatchClient;
  /** Lines of a function since an instant (epoch ms), oldest first. */
  logsOf(functionName: string, since?: number): Promise<readonly string[]>;
  /** Messages in a queue, those under way included. */
  depth(queueUrl: string): Promise<number>;
  /** Names of everything that a deployment makes, by kind. */
  inventory(): Promise<Readonly<Record<string, readonly string[]>>>;
  close(): void;
}

export function connect(environment: Readonly<Record<string, string>>): Cloud {
  const { AWS_ENDPOINT_URL: endpoint = '', AWS_REGION: region = '' } = environment;
  const credentials = {
    accessKeyId: environment.AWS_ACCESS_KEY_ID ?? '',
    secretAccessKey: environment.AWS_SECRET_ACCESS_KEY ?? '',
  };
  const common = { endpoint, region, credentials };
  const sqs = new SQSClient({ ...common, useQueueUrlAsEndpoint: false });
  const dynamoDb = new DynamoDBClient(common);
  const lambda = new LambdaClient(common);
  const iam = new IAMClient(common);
  const cloudWatch = new CloudWatchClient(common);
  const logs = new CloudWatchLogsClient(common);
  const cloudFormation = new CloudFormationClient(common);
  const groups = new Map<string, Promise<string>>();
  const groupOf = async (functionName: string) => {
    const found = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName: functionName }));
    return found.LoggingConfig?.LogGroup ?? `/aws/lambda/${functionName}`;
  };
  return {
    sqs,
    dynamoDb,
    lambda,
    iam,
    cloudWatch,
    async logsOf(functionName, since = 0) {
      const group = groups.get(functionName) ?? groupOf(functionName);
      groups.set(functionName, group);
      const lines: string[] = [];
      let next: { nextToken?: string } = {};
      do {
        const page = await logs.send(
          new FilterLogEventsCommand({ logGroupName: await group, startTime: since, ...next }),
        );
        lines.push(...(page.events ?? []).map((event) => event.message ?? ''));
        next = page.nextToken === undefined ? {} : { nextToken: page.nextToken };
      } while (next.nextToken !== undefined);
      return lines;
    },
    async depth(queueUrl) {
      const names = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
      const answer = await sqs.send(new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: [...names] }));
      return names.reduce((sum, name) => sum + Number(answer.Attributes?.[name] ?? 0), 0);
    },
    inventory: () => takeInventory({ sqs, dynamoDb, lambda, cloudWatch, logs, cloudFormation }),
    close() {
      for (const client of [sqs, dynamoDb, lambda, iam, cloudWatch, logs, cloudFormation]) client.destroy();
    },
  };
}

async function takeInventory(of: {
  readonly sqs: SQSClient;
  readonly dynamoDb: DynamoDBClient;
  readonly lambda: LambdaClient;
  readonly cloudWatch: CloudWatchClient;
  readonly logs: CloudWatchLogsClient;
  readonly cloudFormation: CloudFormationClient;
}): Promise<Readonly<Record<string, readonly string[]>>> {
  const [queues, tables, functions, mappings, alarms, dashboards, groups, stacks] = await Promise.all([
    of.sqs.send(new ListQueuesCommand({})),
    of.dynamoDb.send(new ListTablesCommand({})),
    of.lambda.send(new ListFunctionsCommand({})),
    of.lambda.send(new ListEventSourceMappingsCommand({})),
    of.cloudWatch.send(new DescribeAlarmsCommand({ MaxRecords: 100 })),
    of.cloudWatch.send(new ListDashboardsCommand({})),
    of.logs.send(new DescribeLogGroupsCommand({})),
    of.cloudFormation.send(new ListStacksCommand({ StackStatusFilter: ['CREATE_COMPLETE', 'UPDATE_COMPLETE'] })),
  ]);
  const named = (names: readonly (string | undefined)[] | undefined) => (names ?? []).map((name) => name ?? '');
  return {
    queues: named(queues.QueueUrls),
    tables: named(tables.TableNames),
    functions: named(functions.Functions?.map((one) => one.FunctionName)),
    mappings: named(mappings.EventSourceMappings?.map((one) => one.EventSourceArn)),
    alarms: named(alarms.MetricAlarms?.map((one) => one.AlarmName)),
    dashboards: named(dashboards.DashboardEntries?.map((one) => one.DashboardName)),
    logGroups: named(groups.logGroups?.map((one) => one.logGroupName)),
    stacks: named(stacks.StackSummaries?.map((one) => one.StackName)),
  };
}

/** What the emulator leaves out of a deployment, done by hand: expiry of the table's rows. */
export async function expireRows(cloud: Cloud, table: string, attribute: string): Promise<void> {
  await cloud.dynamoDb.send(
    new UpdateTimeToLiveCommand({
      TableName: table,
      TimeToLiveSpecification: { Enabled: true, AttributeName: attribute },
    }),
  );
}
