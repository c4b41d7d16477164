// The note of a pause, one line with reason, author and time.
import { formatInstant } from './time.ts';

export interface PauseNote {
  readonly why: string;
  readonly by?: string;
  /** RFC 3339 time. */
  readonly since?: string;
}

/** `until Monday; by ada@laptop at 2026-01-01T12:00:00Z`. Conditions show it verbatim. */
export function noteText({ why, by, at }: { readonly why: string; readonly by: string; readonly at: number }): string {
  return `${why === '' ? '' : `${why}; `}by ${by} at ${formatInstant(at)}`;
}

/** A note in any other format is the reason only. */
export function parseNote(text: string): PauseNote {
  const found = /^(?:(.*); )?by (\S+) at (\S+)$/s.exec(text);
  if (!found) return { why: text };
  const [, why = '', by, since] = found;
  return { why, by: String(by), since: String(since) };
}
