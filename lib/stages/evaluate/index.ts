// The evaluate stage: evaluates some pods again and tells the other stages what came of it.
export { evaluate } from './evaluate.ts';
