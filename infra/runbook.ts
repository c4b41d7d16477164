// Where a person who is woken by an alarm reads on.

/** Relative to the repository; `runbookUrl` names the place where an installation publishes it. */
export const defaultRunbook = 'docs/runbook.md';
