// Location of the runbook for alarm descriptions.

/** Path in the repository; `runbookUrl` overrides it with a published URL. */
export const defaultRunbook = 'docs/runbook.md';
