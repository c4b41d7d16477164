// SQS and DynamoDB for emulator tests: a table and queues per suite on loopback, removed by `stop`.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type FauxqsServer, startFauxqs } from 'fauxqs';
import { dueIndex, headIndex } from '../../lib/contract.ts';
import { localCredentials, localRegion } from '../../lib/local/aws/account.ts';
import { type LocalDynamoDb, startLocalDynamoDb } from '../../lib/local/aws/table.ts';

const account = { region: localRegion, credentials: localCredentials } as const;

export interface EmulatedTable {
  readonly tableName: string;
  /** Value for AWS_ENDPOINT_URL_DYNAMODB. */
  readonly endpoint: string;
  readonly client: DynamoDBClient;
  /** With the marshalling options of the functions' client. */
  readonly documents: DynamoDBDocumentClient;
  stop(): Promise<void>;
}

/** An empty table with string keys pk and sk and the due index; expired rows are kept, as AWS may do for days. */
export async function startTable(
  tableName = 'table',
  starting: Promise<LocalDynamoDb> = startLocalDynamoDb(),
): Promise<EmulatedTable> {
  const server = await starting;
  await server.createTable({
    logicalId: 'Table',
    name: tableName,
    AttributeDefinitions: [
      ...['pk', 'sk', dueIndex.partition, headIndex.partition, headIndex.sort].map((AttributeName) => ({
        AttributeName,
        AttributeType: 'S' as const,
      })),
      { AttributeName: dueIndex.time, AttributeType: 'N' },
    ],
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: dueIndex.name,
        KeySchema: [
          { AttributeName: dueIndex.partition, KeyType: 'HASH' },
          { AttributeName: dueIndex.time, KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
      {
        IndexName: headIndex.name,
        KeySchema: [
          { AttributeName: headIndex.partition, KeyType: 'HASH' },
          { AttributeName: headIndex.sort, KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: [...headIndex.projected] },
      },
    ],
    TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
  });
  const client = new DynamoDBClient({ ...account, endpoint: server.endpoint, maxAttempts: 4 });
  return {
    tableName,
    endpoint: server.endpoint,
    client,
    documents: DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } }),
    async stop() {
      client.destroy();
      await server.stop();
    },
  };
}

export interface EmulatedQueues {
  /** Value for AWS_ENDPOINT_URL_SQS. */
  readonly endpoint: string;
  readonly client: SQSClient;
  /** `server.inspectQueue(name)` shows messages without receiving them. */
  readonly server: FauxqsServer;
  /** Throws for a queue that was not requested. */
  url(name: string): string;
  stop(): Promise<void>;
}

/** Empty standard queues without dead-letter queues; default visibility timeout 30 s, see `attributes`. */
export async function startQueues(
  names: readonly string[],
  attributes: Readonly<Record<string, string>> = {},
): Promise<EmulatedQueues> {
  const server = await startFauxqs({ port: 0, logger: false, host: '127.0.0.1' });
  const endpoint = `http://127.0.0.1:${server.port}`;
  const client = new SQSClient({ ...account, endpoint, useQueueUrlAsEndpoint: false });
  const urls = new Map(names.map((name) => [name, server.createQueue(name, { attributes }).queueUrl]));
  return {
    endpoint,
    client,
    server,
    url(name) {
      const url = urls.get(name);
      if (url === undefined) throw new Error(`there is no queue ${name}, only ${names.join(', ')}`);
      return url;
    },
    async stop() {
      client.destroy();
      await server.stop();
    },
  };
}
