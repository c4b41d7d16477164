// Runbook entries of the alarms; sluice.yaml sets thresholds under these names.

/** Anchors of headings in docs/runbook.md; a test checks that each exists and belongs to an alarm. */
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
