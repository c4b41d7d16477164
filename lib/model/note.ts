// The note of a pause, one line with reason, author and time.
import { formatInstant } from './time.ts';

export interface PauseNote {
  readonly why: string;
  readonly by?: string;
  /** RFC 3339 time. */
  readonly since?: string;
}

/** `until Monday; by ada@example.com at 2026-01-01T12:00:00Z`. Conditions show it verbatim, on one line. */
export function noteText({ why, by, at }: { readonly why: string; readonly by: string; readonly at: number }): string {
  return `${why === '' ? '' : `${why}; `}by ${authorText(by)} at ${formatInstant(at)}`;
}

/** The author of a note, or of a pause without one, by the field manager that wrote it. */
export function managerText(manager: string): string {
  return `field manager ${manager}`;
}

/** `; ` separates the author from the reason. */
function authorText(by: string): string {
  return by.replaceAll(/\s+/g, ' ').replaceAll('; ', ', ');
}

/** A note in any other format is the reason only. */
export function parseNote(text: string): PauseNote {
  const found = /^(?:(.*); )?by (\S.*) at (\d{4}-\d\d-\d\dT\S+)$/s.exec(text);
  if (!found) return { why: text };
  const [, why = '', by, since] = found;
  return { why, by: String(by), since: String(since) };
}
