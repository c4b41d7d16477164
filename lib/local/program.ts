// Entry of the local run's bundle: the scenario (`once`), or live until stopped.
export { live } from './live.ts';
export { once } from './once.ts';
