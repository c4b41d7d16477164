// The table on SQLite keeps the table contract, behind the adapter and SDK that the functions use.
import { createDynamoDbTable } from '../../../lib/adapters/dynamodb/dynamoDbTable.ts';
import { tableContract } from '../../contracts/table.contract.ts';
import { startTable } from '../../support/emulators.ts';

tableContract('DynamoDB adapter on SQLite', async () => {
  const { documents, tableName, stop } = await startTable('table', { kind: 'sqlite', why: 'a test asks for it' });
  return { table: createDynamoDbTable(documents, tableName), stop };
});
