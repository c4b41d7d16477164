// The sweep stage: sends due rows to the stage that processes them.
export { sweep } from './sweep.ts';
export { sweepCluster } from './sweepCluster.ts';
