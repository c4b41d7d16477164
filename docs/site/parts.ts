// The parts of the docs and their pages, in reading order: the sidebar of the site, and what a test compares with the files.

export interface Part {
  readonly title: string;
  /** Paths below docs/, without `.md`. */
  readonly pages: readonly string[];
}

export const parts: readonly Part[] = [
  { title: 'Try', pages: ['try'] },
  { title: 'Install', pages: ['install', 'admission', 'coexistence', 'cost', 'uninstall'] },
  {
    title: 'Operate',
    pages: ['pods-are-disappearing', 'console', 'pace', 'paced-taint-rules', 'runbook'],
  },
  { title: 'How it decides', pages: ['how-it-decides', 'reference/rules', 'reference/live-reads', 'reference/limits'] },
  {
    title: 'Reference',
    pages: [
      'reference/commands',
      'reference/configuration',
      'reference/kinds',
      'reference/annotations',
      'reference/status',
      'reference/metrics',
      'reference/cel',
      'reference/construct',
      'reference/conformance',
      'reference/emulators',
      'reference/glossary',
      'reference/incarnations',
      'reference/local',
      'reference/packages',
      'reference/performance',
      'reference/production-readiness',
      'reference/scenario',
    ],
  },
  { title: 'Contribute', pages: ['walk', 'reference/faults', 'reference/links', 'release'] },
];

/** Page of the decisions, which lists all of them. */
export const decisions = 'adr/README';
