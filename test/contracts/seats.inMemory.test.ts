// Seats and slots that were left have one owner each in the in-memory table.
import { createInMemoryTable } from '../support/fakes/table.ts';
import { seatsContract } from './seats.contract.ts';

seatsContract('in memory', async () => ({ table: createInMemoryTable(), stop: async () => {} }));
