// The in-memory queues keep the queues contract.
import { createFakeQueues } from '../support/fakes/queues.ts';
import { contractNow, queuesContract } from './queues.contract.ts';

queuesContract('in memory', async () => {
  const queues = createFakeQueues(() => contractNow);
  return { queues, take: () => queues.sent.splice(0), stop: async () => {} };
});
