// The in-memory table keeps the table contract.
import { createInMemoryTable } from '../support/fakes/table.ts';
import { tableContract } from './table.contract.ts';

tableContract('in memory', async () => ({ table: createInMemoryTable(), stop: async () => {} }));
