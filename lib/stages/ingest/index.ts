// The ingest stage: takes changes of a cluster into the table and has evaluated what they touch.
export { ingest, type RecordResult } from './ingest.ts';
