// Finds the verbs that the words of a command line begin with.
import type { VerbDefinition } from './definition.ts';

/** Verbs at the beginning of the words, from the outermost group inwards. */
export function pathOf(words: readonly string[], verbs: readonly VerbDefinition[]): readonly VerbDefinition[] {
  const [first, ...rest] = words.filter((one) => !one.startsWith('-'));
  const found = verbs.find((one) => one.name === first || (first !== undefined && one.aliases?.includes(first)));
  return found ? [found, ...pathOf(rest, found.verbs ?? [])] : [];
}
