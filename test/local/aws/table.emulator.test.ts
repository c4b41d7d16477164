// The DynamoDB adapter keeps the table contract on an emulated DynamoDB.
import { createDynamoDbTable } from '../../../lib/adapters/dynamodb/dynamoDbTable.ts';
import { tableContract } from '../../contracts/table.contract.ts';
import { startTable } from '../../support/emulators.ts';

tableContract('DynamoDB adapter on dynoxide', async () => {
  const { documents, tableName, stop } = await startTable();
  return { table: createDynamoDbTable(documents, tableName), stop };
});
