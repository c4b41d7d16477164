// The template's table on a local DynamoDB, which is the project's own on SQLite.
import { CreateTableCommand, DynamoDBClient, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { arnOf, localCredentials, localRegion } from './account.ts';
import type { TableResource } from './resources/table.ts';
import { startSqliteServer, type TableServer } from './sqliteTable/sqliteServer.ts';

export interface LocalDynamoDb {
  readonly endpoint: string;
  /** Returns the ARN. Expired items are kept; AWS may also keep them for days. */
  createTable(table: TableResource): Promise<string>;
  stop(): Promise<void>;
}

/** Starts an empty in-memory server. */
export async function startLocalDynamoDb(): Promise<LocalDynamoDb> {
  return serveTables(await startSqliteServer());
}

/** The same on another server that speaks DynamoDB's protocol. */
export function serveTables(server: TableServer): LocalDynamoDb {
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
