// A pause that an operator sets apart from rules: of one cluster, or of all clusters.
import { noteText } from './note.ts';
import type { Instant } from './time.ts';

export interface Pause {
  readonly name: string;
  readonly why: string;
  readonly since: Instant;
  /** The caller as the command line saw it; absent in rows of older releases. */
  readonly by?: string;
  readonly of: 'cluster' | 'everything';
}

/** For display: `audit (until Monday; by ada at 2026-01-01T12:00:00Z); incident, in every cluster`. */
export function describePauses(pauses: readonly Pause[]): string {
  return pauses
    .map(({ name, why, by, since, of }) => {
      const note = by === undefined ? why : noteText({ why, by, at: since });
      return `${name}${note === '' ? '' : ` (${note})`}${of === 'everything' ? ', in every cluster' : ''}`;
    })
    .join('; ');
}
