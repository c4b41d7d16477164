// `npm run why`: why a pod was evicted, waits to be, or stays.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { Command } from 'commander';
import { createDynamoDbTable } from '../lib/adapters/dynamodb/dynamoDbTable.ts';
import { readWhy, renderWhy } from '../lib/view/why.ts';

interface Flags {
  readonly table: string;
  readonly cluster: string;
}

new Command('why')
  .description('Says why a pod was evicted, waits to be, or stays.')
  .argument('<pod>', 'namespace/name, or the UID of a pod')
  .requiredOption('--cluster <name>', 'cluster of the pod')
  .requiredOption('--table <name>', 'state table: output TableName of the stack')
  .showHelpAfterError()
  .action(async (pod: string, { table, cluster }: Flags) => {
    const client = DynamoDBDocumentClient.from(new DynamoDBClient({ maxAttempts: 4 }));
    const state = { table: createDynamoDbTable(client, table), cluster };
    for (const line of renderWhy(pod, await readWhy(state, pod, Date.now()))) console.log(line);
  })
  .parseAsync()
  .catch((error: unknown) => {
    console.error(`why: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  });
