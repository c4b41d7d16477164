// The report stage: writes conditions, status and Events, and repeats reports whose message was lost.
export { lookAtDueReport } from './dueReports.ts';
export { recordEvent, report } from './report.ts';
