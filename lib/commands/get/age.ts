// Age of an object in kubectl's format.
import { type Json, objectOf, textOf } from '../../adapters/kubernetes/read.ts';
import { parseInstant } from '../../model/time.ts';

export function ageOf(object: Json, now: number): string {
  const created = parseInstant(textOf(objectOf(object.metadata).creationTimestamp));
  return created === undefined ? '' : ageText(now - created);
}

/** `45s`, `12m`, `3h`, `9d`. */
export function ageText(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}
