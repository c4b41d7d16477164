// The DynamoDB adapter keeps the table contract on the project's own table, and where it can be had on another DynamoDB.
import { describe } from 'vitest';
import { createDynamoDbTable } from '../../../lib/adapters/dynamodb/dynamoDbTable.ts';
import { tableContract } from '../../contracts/table.contract.ts';
import { findDynoxide, startDynoxide } from '../../support/dynoxide.ts';
import { startTable } from '../../support/emulators.ts';

tableContract('DynamoDB adapter on SQLite', async () => {
  const { documents, tableName, stop } = await startTable();
  return { table: createDynamoDbTable(documents, tableName), stop };
});

const binary = findDynoxide();

describe.runIf(binary)('elsewhere', () => {
  tableContract('DynamoDB adapter on dynoxide', async () => {
    const { documents, tableName, stop } = await startTable('table', () => startDynoxide(binary ?? ''));
    return { table: createDynamoDbTable(documents, tableName), stop };
  });
});
