// What a local run does once it is built, as one bundle: the scenario to its end, or live until it is stopped.
export { live } from './live.ts';
export { once } from './once.ts';
