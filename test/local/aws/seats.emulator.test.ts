// The DynamoDB adapter on an emulated DynamoDB keeps the contract of permits.
import { createDynamoDbTable } from '../../../lib/adapters/dynamodb/dynamoDbTable.ts';
import { seatsContract } from '../../contracts/seats.contract.ts';
import { startTable } from '../../support/emulators.ts';

seatsContract('DynamoDB adapter on SQLite', async () => {
  const { documents, tableName, stop } = await startTable();
  return { table: createDynamoDbTable(documents, tableName), stop };
});
