// The alarms of an installation by their entry in the runbook; sluice.yaml sets their thresholds under these names.

/** Headings of docs/runbook.md as anchors; a test sees that each exists and that each belongs to an alarm. */
export const runbookEntries = [
  'messages-wait',
  'dead-letters',
  'poison-messages',
  'function-errors',
  'sweep-silent',
  'watcher-silent',
  'evictions-refused',
  'clusters-under-one-name',
  'revision-went-back',
  'tokens-dropped',
  'leases-taken-over',
  'intents-open',
  'objects-outstanding',
  'mirror-drift',
  'table-throttled',
] as const;
export type RunbookEntry = (typeof runbookEntries)[number];
