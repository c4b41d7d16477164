// The template's table on a DynamoDB of this machine: the native server where it runs, else the project's own on SQLite.
import { CreateTableCommand, DynamoDBClient, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { arnOf, localCredentials, localRegion } from './account.ts';
import { findDynoxide, startDynoxide } from './dynoxide.ts';
import type { TableResource } from './resources/table.ts';
import { startSqliteServer } from './sqliteTable/sqliteServer.ts';
import type { TableChoice, TableServer } from './tableServer.ts';

export interface LocalDynamoDb {
  readonly endpoint: string;
  /** Answers its ARN. Expired items stay: AWS may leave them for days, too. */
  createTable(table: TableResource): Promise<string>;
  stop(): Promise<void>;
}

export function chooseTable(): TableChoice {
  return findDynoxide(process.platform, process.arch);
}

/** An empty server; all of it is in memory. */
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
