// Splits a format string into literal text and clauses.

export interface Clause {
  readonly verb: 's' | 'd' | 'f' | 'e' | 'b' | 'o' | 'x' | 'X';
  /** Requested digits after the point; absent if the clause has none. */
  readonly precision: number | undefined;
}

const verbs: readonly string[] = ['s', 'd', 'f', 'e', 'b', 'o', 'x', 'X'];

function isVerb(text: string | undefined): text is Clause['verb'] {
  return text !== undefined && verbs.includes(text);
}

/** The parts in order, or the error in the format. */
export function clausesOf(format: string): readonly (string | Clause)[] | string {
  const parts: (string | Clause)[] = [];
  const pattern = /([^%]+)|%%|%(?:\.([0-9]*))?(.?)/gsu;
  for (const [whole, plain, precision, verb] of format.matchAll(pattern)) {
    if (plain !== undefined) parts.push(plain);
    else if (whole === '%%') parts.push('%');
    else {
      const clause = clauseOf(precision, verb);
      if (typeof clause === 'string') return clause;
      parts.push(clause);
    }
  }
  return parts;
}

function clauseOf(precision: string | undefined, verb: string | undefined): Clause | string {
  if (verb === '' && precision === undefined) return 'unexpected end of string';
  if (verb === '') return 'could not find end of precision specifier';
  if (precision === '') return 'error while converting precision to integer';
  if (!isVerb(verb)) return `unrecognized formatting clause "${verb}"`;
  return { verb, precision: precision === undefined ? undefined : Number(precision) };
}
