// The template's table on a local DynamoDB: the native server if it runs here, else the project's own on SQLite.
import { CreateTableCommand, DynamoDBClient, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { arnOf, localCredentials, localRegion } from './account.ts';
import { findDynoxide, startDynoxide } from './dynoxide.ts';
import type { TableResource } from './resources/table.ts';
import { startSqliteServer } from './sqliteTable/sqliteServer.ts';
import type { TableChoice, TableServer } from './tableServer.ts';

export interface LocalDynamoDb {
  readonly endpoint: string;
  /** Returns the ARN. Expired items are kept; AWS may also keep them for days. */
  createTable(table: TableResource): Promise<string>;
  stop(): Promise<void>;
}

export function chooseTable(): TableChoice {
  return findDynoxide(process.platform, process.arch);
}

/** Starts an empty in-memory server. */
export async function startLocalDynamoDb(choice: TableChoice = chooseTable()): Promise<LocalDynamoDb> {
  const server: TableServer = choice.kind === 'native' ? await startDynoxide(choice.binary) : await startSqliteServer();
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
