// The evict stage: works on one limiter at a time, evicts its due pods at its rate, and settles what was interrupted.
export { lookAtDue } from './due.ts';
export { evict } from './run.ts';
