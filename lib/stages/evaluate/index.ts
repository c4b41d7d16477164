// The evaluate stage: re-evaluates pods and sends the results to the other stages.
export { evaluate } from './evaluate.ts';
