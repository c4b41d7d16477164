// Who paused what, when and why, as one line of an annotation and back; pure.
import { formatInstant } from '../../model/time.ts';

export interface PauseNote {
  readonly why: string;
  readonly by?: string;
  /** RFC 3339. */
  readonly since?: string;
}

/** `until Monday; by ada@laptop at 2026-01-01T12:00:00Z`. Conditions show it as it is. */
export function noteText({ why, by, at }: { readonly why: string; readonly by: string; readonly at: number }): string {
  return `${why === '' ? '' : `${why}; `}by ${by} at ${formatInstant(at)}`;
}

/** A text that people wrote by hand is the reason alone. */
export function parseNote(text: string): PauseNote {
  const [, why = '', by, since] = /^(?:(.*); )?by (\S+) at (\S+)$/s.exec(text) ?? [];
  return by === undefined || since === undefined ? { why: text } : { why, by, since };
}

/** Names that may stand behind `pause.sluice.dev/` and in a row's key. */
export function isPauseName(text: string): boolean {
  return /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/.test(text);
}
