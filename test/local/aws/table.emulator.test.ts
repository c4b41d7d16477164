// The DynamoDB adapter keeps the table contract on the project's own table, behind the SDK that the functions use.
import { createDynamoDbTable } from '../../../lib/adapters/dynamodb/dynamoDbTable.ts';
import { tableContract } from '../../contracts/table.contract.ts';
import { startTable } from '../../support/emulators.ts';

tableContract('DynamoDB adapter on SQLite', async () => {
  const { documents, tableName, stop } = await startTable();
  return { table: createDynamoDbTable(documents, tableName), stop };
});
