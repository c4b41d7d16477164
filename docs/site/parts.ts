// The parts of the docs and their pages, in reading order: the sidebar of the site, and what a test compares with the files.

export interface Part {
  readonly title: string;
  /** Paths below docs/, without `.md`. */
  readonly pages: readonly string[];
}

export const parts: readonly Part[] = [
  { title: 'Try', pages: ['try', 'scenario', 'local', 'cel'] },
  { title: 'Install', pages: ['install', 'admission', 'coexistence', 'construct', 'cost', 'uninstall'] },
  {
    title: 'Operate',
    pages: ['pods-are-disappearing', 'pace', 'paced-taint-rules', 'runbook', 'production-readiness'],
  },
  { title: 'How it decides', pages: ['rules', 'live-reads', 'limits', 'conformance', 'glossary'] },
  {
    title: 'Reference',
    pages: ['reference/commands', 'reference/configuration'],
  },
  { title: 'Contribute', pages: ['emulators', 'faults', 'packages', 'release'] },
];

/** Page of the decisions, which lists all of them. */
export const decisions = 'adr/README';
