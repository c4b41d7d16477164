// The ingest stage: stores changes of a cluster in the table and has the affected pods evaluated.
export { ingest, type RecordResult } from './ingest.ts';
