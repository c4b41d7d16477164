// The stage that sends what is due to the stage that looks at it.
export { sweep } from './sweep.ts';
export { sweepCluster } from './sweepCluster.ts';
