// The reconcile stage: evaluates some pods again and tells the other stages what came of it.
export { reconcile } from './reconcile.ts';
