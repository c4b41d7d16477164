// The name that a person probably meant: the nearest of those that exist.
import { closestMatch } from 'leven';

/** Edits that still look like a typing error, by length of the name. */
const furthest = (name: string) => Math.max(2, Math.floor(name.length / 3));

export function nearestOf(name: string, known: readonly string[]): string | undefined {
  return closestMatch(name, [...known], { maxDistance: furthest(name) });
}

/** `did you mean prod? see: sluice get clusters`. `command` lists those that exist. */
export function nearestHelp(name: string, known: readonly string[], command: string): string {
  const near = nearestOf(name, known);
  return near === undefined ? `see: ${command}` : `did you mean ${near}? see: ${command}`;
}
