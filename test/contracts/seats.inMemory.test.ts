// The in-memory table keeps the contract of permits.
import { createInMemoryTable } from '../support/fakes/table.ts';
import { seatsContract } from './seats.contract.ts';

seatsContract('in memory', async () => ({ table: createInMemoryTable(), stop: async () => {} }));
