// The DynamoDB adapter keeps the table contract on the project's own table, behind the SDK that the functions use.
import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { createDynamoDbTable } from '../../../lib/adapters/dynamodb/dynamoDbTable.ts';
import { tableContract } from '../../contracts/table.contract.ts';
import { startTable } from '../../support/emulators.ts';

tableContract('DynamoDB adapter on SQLite', async () => {
  const { documents, tableName, stop } = await startTable();
  return { table: createDynamoDbTable(documents, tableName), stop };
});

it('a scan finds every item of the table once, in pages of its limit and of 1 MB', async () => {
  const { documents, tableName, stop } = await startTable();
  const table = createDynamoDbTable(documents, tableName);
  const keys = Array.from({ length: 45 }, (_, i) => ({ pk: `partition-${i % 3}`, sk: String(i).padStart(2, '0') }));
  for (const key of keys) await table.write({ kind: 'Put', row: { ...key, text: 'x'.repeat(60_000) } });
  for (const limit of [7, undefined]) {
    const pages: number[] = [];
    const found = new Set<string>();
    for await (const { Items = [] } of paginateScan({ client: documents }, { TableName: tableName, Limit: limit })) {
      pages.push(Items.length);
      for (const { pk, sk } of Items) found.add(`${pk} ${sk}`);
    }
    expect(found.size).toBe(45);
    expect(Math.max(...pages)).toBeLessThanOrEqual(limit ?? 18);
    expect(pages.reduce((sum, one) => sum + one)).toBe(45);
  }
  await stop();
});
