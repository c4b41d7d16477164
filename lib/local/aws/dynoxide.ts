// DynamoDB on this machine: the dynoxide binary as a child process on a free loopback port.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { CreateTableCommand, DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';

export interface LocalDynamoDb {
  readonly endpoint: string;
  readonly pid: number | undefined;
  createTable(name: string, keys: { readonly partitionKey: string; readonly sortKey: string }): Promise<void>;
  stop(): Promise<void>;
}

/** Any value will do; none of them is checked. */
export const localCredentials = { accessKeyId: 'local', secretAccessKey: 'local' } as const;
export const localRegion = 'us-east-1';

const guard = fileURLToPath(new URL('./guard.mjs', import.meta.url));

export async function startDynoxide(): Promise<LocalDynamoDb> {
  const port = await freePort();
  const child = spawn(process.execPath, [guard, findBinary(), 'serve', '-p', String(port)], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const endpoint = `http://127.0.0.1:${port}`;
  const client = new DynamoDBClient({ region: localRegion, credentials: localCredentials, endpoint, maxAttempts: 1 });
  await waitUntilReady(client);
  return {
    endpoint,
    pid: child.pid,
    async createTable(name, { partitionKey, sortKey }) {
      await client.send(
        new CreateTableCommand({
          TableName: name,
          BillingMode: 'PAY_PER_REQUEST',
          AttributeDefinitions: [partitionKey, sortKey].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
          KeySchema: [
            { AttributeName: partitionKey, KeyType: 'HASH' },
            { AttributeName: sortKey, KeyType: 'RANGE' },
          ],
        }),
      );
    },
    async stop() {
      client.destroy();
      if (child.exitCode !== null) return;
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.stdin?.end();
      await gone;
    },
  };
}

function findBinary(): string {
  const name = `@dynoxide/${process.platform}-${process.arch}`;
  try {
    const binary = path.join(path.dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), 'dynoxide');
    if (existsSync(binary)) return binary;
  } catch {
    // Said below.
  }
  throw new Error(
    `there is no package ${name}: the embedded table runs on linux-x64; elsewhere point AWS_ENDPOINT_URL_DYNAMODB at DynamoDB Local`,
  );
}

async function waitUntilReady(client: DynamoDBClient): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    try {
      await client.send(new ListTablesCommand({}));
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
  throw new Error('dynoxide did not answer within 5 s');
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        typeof address === 'object' && address ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}
