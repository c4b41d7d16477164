// `matches`, `find` and `findAll`; a constant pattern is compiled, and refused, with the expression.
import { ofPattern } from '../costs.ts';
import { costing, type FunctionDeclaration, fn, global, member } from '../declare.ts';
import type { Meter } from '../meter.ts';
import { announce, dynamicPattern, Pattern } from '../pattern.ts';
import { bool, intType, listOf, string } from '../types.ts';
import { CelError, CelList, type Int, type Value } from '../values.ts';

/** Applies a compiled pattern, known at compile time or at run time. */
type Search = (pattern: Pattern, text: string, limit: number) => Value;

const searches: Readonly<Record<string, Search>> = {
  matches: (pattern, text) => pattern.found(text),
  find: (pattern, text) => pattern.first(text),
  findAll: (pattern, text, limit) => new CelList(pattern.all(text, limit)),
};

/** Names of the functions whose second argument is a regular expression. */
export const regexFunctions: ReadonlySet<string> = new Set(Object.keys(searches));

/** `text.name(pattern, limit)` with a compiled pattern. */
export function searchWith(name: string, pattern: Pattern) {
  return (meter: Meter, text: Value, _: Value, limit: Value | undefined): Value => {
    const search = searches[name];
    if (!search || typeof text !== 'string') return new CelError(`no such overload: ${name}`);
    announce(meter, pattern, text);
    return search(pattern, text, mostOf(limit));
  };
}

function mostOf(limit: Value | undefined): number {
  const most = limit === undefined ? -1 : Number(limit as Int);
  return most < 0 ? Number.POSITIVE_INFINITY : most;
}

function search(name: string) {
  return (meter: Meter, text: Value, pattern: Value, limit: Value | undefined): Value => {
    if (typeof pattern !== 'string') return new CelError(`no such overload: ${name}`);
    const compiled = dynamicPattern(meter, pattern);
    return compiled instanceof Pattern ? searchWith(name, compiled)(meter, text, pattern, limit) : compiled;
  };
}

const found = listOf(string);

export const regexes: readonly FunctionDeclaration[] = [
  costing(
    ofPattern,
    fn(
      'matches',
      global('matches', [string, string, bool], search('matches')),
      member('matches_string', [string, string, bool], search('matches')),
    ),
  ),
  costing(ofPattern, fn('find', member('string_find_string', [string, string, string], search('find')))),
  costing(
    ofPattern,
    fn(
      'findAll',
      member('string_find_all_string', [string, string, found], search('findAll')),
      member('string_find_all_string_int', [string, string, intType, found], search('findAll')),
    ),
  ),
];
