// The names of pauses, and the text about a pause that is there already; pure.
import type { PauseNote } from '../../model/note.ts';

/** `by ada since 2026-01-01T12:00:00Z (until Monday)` in one line; empty if nothing of it is known. */
export function whoseText({ by, since, why }: PauseNote): string {
  const parts = [by && `by ${by}`, since && `since ${since}`, why && `(${why})`].filter((one) => one);
  return parts.join(' ').replace(/\s+/g, ' ');
}

/** `rule r is already paused by ada since 2026-01-01T12:00:00Z (until Monday)`. */
export function alreadyPaused(what: string, note: PauseNote): string {
  return `${what} is already paused ${whoseText(note)}`.trimEnd();
}

export const staysPaused = 'that pause stays as it is';

/** How to add a pause beside one that stays. */
export const addAnother = `${staysPaused}; to add another one: --name NAME`;

/** Names valid after `pause.sluice.dev/` and in a key of the state table. */
export function isPauseName(text: string): boolean {
  return /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/.test(text);
}
