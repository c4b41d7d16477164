// The name that was probably meant: the nearest of those that exist.
import { closestMatch } from 'leven';

/** Edits that still look like a typing error, by length of the name. */
const furthest = (name: string) => Math.max(2, Math.floor(name.length / 3));

/** Capitals do not count. */
export function nearestOf(name: string, known: readonly string[]): string | undefined {
  const lower = known.map((one) => one.toLowerCase());
  const nearest = closestMatch(name.toLowerCase(), lower, { maxDistance: furthest(name) });
  return nearest === undefined ? undefined : known[lower.indexOf(nearest)];
}
