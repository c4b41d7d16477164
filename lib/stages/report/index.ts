// The report stage: writes conditions, status and Events, and sends again what was lost on its way there.
export { lookAtDueReport } from './dueReports.ts';
export { recordEvent, report } from './report.ts';
