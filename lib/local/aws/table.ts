// The template's table on a DynamoDB of this machine.
import { CreateTableCommand, DynamoDBClient, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { arnOf, localCredentials, localRegion } from './account.ts';
import { startDynoxide } from './dynoxide.ts';
import type { TableResource } from './resources/table.ts';

export interface LocalDynamoDb {
  readonly endpoint: string;
  /** Answers its ARN. Expired items stay: AWS may leave them for days, too. */
  createTable(table: TableResource): Promise<string>;
  stop(): Promise<void>;
}

export async function startLocalDynamoDb(): Promise<LocalDynamoDb> {
  const { endpoint, stop } = await startDynoxide();
  const client = new DynamoDBClient({ region: localRegion, credentials: localCredentials, endpoint });
  return {
    endpoint,
    async createTable({ logicalId: _, name: TableName, TimeToLiveSpecification, ...schema }) {
      await client.send(new CreateTableCommand({ TableName, BillingMode: 'PAY_PER_REQUEST', ...schema }));
      if (TimeToLiveSpecification)
        await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
      return arnOf('dynamodb', `table/${TableName}`);
    },
    async stop() {
      client.destroy();
      await stop();
    },
  };
}
