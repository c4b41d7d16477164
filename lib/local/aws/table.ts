// The template's table on the project's own DynamoDB, which is on SQLite.
import { CreateTableCommand, DynamoDBClient, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { arnOf, localCredentials, localRegion } from './account.ts';
import type { TableResource } from './resources/table.ts';
import { startSqliteServer, type TableServer } from './sqliteTable/sqliteServer.ts';

export interface LocalDynamoDb {
  readonly endpoint: string;
  /** Answers its ARN. Expired items stay: AWS may leave them for days, too. */
  createTable(table: TableResource): Promise<string>;
  stop(): Promise<void>;
}

/** An empty server; all of it is in memory. `start`: another than the project's own, to compare with it. */
export async function startLocalDynamoDb(
  start: () => Promise<TableServer> = startSqliteServer,
): Promise<LocalDynamoDb> {
  const server = await start();
  const { endpoint } = server;
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
      await server.stop();
    },
  };
}
