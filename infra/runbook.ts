// Where a person who is woken by an alarm reads on.

/** Headings of docs/runbook.md as anchors; a test sees that each exists and that each belongs to an alarm. */
export const runbookEntries = [
  'messages-wait',
  'dead-letters',
  'poison-messages',
  'function-errors',
  'function-throttles',
  'recursion-stopped',
  'sweep-silent',
  'watcher-silent',
  'evictions-refused',
  'table-throttled',
] as const;
export type RunbookEntry = (typeof runbookEntries)[number];

/** Relative to the repository; `runbookUrl` names the place where an installation publishes it. */
export const defaultRunbook = 'docs/runbook.md';
