// Suggests the most similar known name for a misspelt one.
import { closestMatch } from 'leven';

/** Maximum edit distance of a typing error, by length of the name. */
const furthest = (name: string) => Math.max(2, Math.floor(name.length / 3));

/** Ignores case. */
export function nearestOf(name: string, known: readonly string[]): string | undefined {
  const lower = known.map((one) => one.toLowerCase());
  const nearest = closestMatch(name.toLowerCase(), lower, { maxDistance: furthest(name) });
  return nearest === undefined ? undefined : known[lower.indexOf(nearest)];
}
