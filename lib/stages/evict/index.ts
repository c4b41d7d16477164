// The evict stage: processes one limiter at a time, evicts its due pods at its rate, and settles interrupted evictions.
export { lookAtDue } from './due.ts';
export { evict } from './run.ts';
