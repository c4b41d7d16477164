// String functions of cel-go's strings extension, version 2, and of the standard library; positions are code points.
import { codePoints, ofArgument, ofResult, ofSearch } from '../costs.ts';
import { costing, type FunctionDeclaration, fn, global, member } from '../declare.ts';
import type { Meter } from '../meter.ts';
import { bool, dyn, intType, listOf, string } from '../types.ts';
import { CelError, type Int, type Value } from '../values.ts';
import { formatted } from './format.ts';
import { join, replace, split } from './pieces.ts';

const text = (value: Value) => value as string;
const count = (value: Value) => Number(value as Int);

function outOfRange(index: number): CelError {
  return new CelError(`index out of range: ${index}`);
}

function charAt(_: Meter, subject: Value, index: Value): Value {
  const points = Array.from(text(subject));
  const at = count(index);
  if (at < 0 || at > points.length) return outOfRange(at);
  return points[at] ?? '';
}

/** The unit index of a code point index. */
function unitOf(subject: string, index: number): number {
  let unit = 0;
  for (let seen = 0; seen < index && unit < subject.length; seen++) unit += isPair(subject, unit) ? 2 : 1;
  return unit;
}

function isPair(subject: string, unit: number): boolean {
  return (subject.codePointAt(unit) ?? 0) > 0xffff;
}

export function indexOf(_: Meter, subject: Value, part: Value, offset?: Value): Value {
  const from = offset === undefined ? 0 : count(offset);
  if (from < 0) return outOfRange(from);
  const length = codePoints(text(subject));
  if (part === '') return Math.min(from, length);
  const found = from >= length ? -1 : text(subject).indexOf(text(part), unitOf(text(subject), from));
  return found < 0 ? -1 : codePoints(text(subject).slice(0, found));
}

export function lastIndexOf(_: Meter, subject: Value, part: Value, offset?: Value): Value {
  const length = codePoints(text(subject));
  if (offset === undefined && part === '') return length;
  const from = offset === undefined ? length - 1 : count(offset);
  if (from < 0) return offset === undefined ? -1 : outOfRange(from);
  if (part === '') return Math.min(from, length);
  const found = from >= length ? -1 : text(subject).lastIndexOf(text(part), unitOf(text(subject), from));
  return found < 0 ? -1 : codePoints(text(subject).slice(0, found));
}

function substring(_: Meter, subject: Value, start: Value, end?: Value): Value {
  const length = codePoints(text(subject));
  const from = count(start);
  const to = end === undefined ? length : count(end);
  if (from > to && end !== undefined) return new CelError(`invalid substring range. start: ${from}, end: ${to}`);
  if (from < 0 || from > length) return outOfRange(from);
  if (to < 0 || to > length) return outOfRange(to);
  return text(subject).slice(unitOf(text(subject), from), unitOf(text(subject), to));
}

const ascii = (pattern: RegExp, change: (part: string) => string) => (_: Meter, subject: Value) =>
  text(subject).replace(pattern, change);

/** Unicode white space as in Go; without the byte order mark, which JavaScript would trim. */
const space = '[\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';
const edges = new RegExp(`^${space}+`);
const isSpace = new RegExp(space);

function trim(_: Meter, subject: Value): Value {
  const rest = text(subject).replace(edges, '');
  let end = rest.length;
  while (end > 0 && isSpace.test(rest.charAt(end - 1))) end--;
  return rest.slice(0, end);
}

const quotes: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

function quote(_: Meter, subject: Value): Value {
  return `"${Array.from(text(subject), (point) => quotes[point] ?? point).join('')}"`;
}

const search = (id: string, found: (subject: string, part: string) => boolean) =>
  member(id, [string, string, bool], (_, subject, part) =>
    typeof subject === 'string' && typeof part === 'string' ? found(subject, part) : new CelError('no such overload'),
  );

const lists = listOf(string);

export const strings: readonly FunctionDeclaration[] = [
  {
    ...fn('contains', { ...search('contains_string', (s, part) => s.includes(part)), cost: ofSearch }),
    unguarded: true,
  },
  {
    ...fn('endsWith', { ...search('ends_with_string', (s, part) => s.endsWith(part)), cost: ofArgument(1) }),
    unguarded: true,
  },
  {
    ...fn('startsWith', { ...search('starts_with_string', (s, part) => s.startsWith(part)), cost: ofArgument(1) }),
    unguarded: true,
  },
  fn('charAt', member('string_char_at_int', [string, intType, string], charAt)),
  fn(
    'indexOf',
    member('string_index_of_string', [string, string, intType], indexOf),
    member('string_index_of_string_int', [string, string, intType, intType], indexOf),
  ),
  fn(
    'lastIndexOf',
    member('string_last_index_of_string', [string, string, intType], lastIndexOf),
    member('string_last_index_of_string_int', [string, string, intType, intType], lastIndexOf),
  ),
  costing(
    ofArgument(0),
    fn(
      'lowerAscii',
      member(
        'string_lower_ascii',
        [string, string],
        ascii(/[A-Z]+/g, (s) => s.toLowerCase()),
      ),
    ),
  ),
  costing(
    ofArgument(0),
    fn(
      'upperAscii',
      member(
        'string_upper_ascii',
        [string, string],
        ascii(/[a-z]+/g, (s) => s.toUpperCase()),
      ),
    ),
  ),
  costing(
    ofArgument(0, 2),
    fn(
      'replace',
      member('string_replace_string_string', [string, string, string, string], replace),
      member('string_replace_string_string_int', [string, string, string, intType, string], replace),
    ),
  ),
  costing(
    ofArgument(0, 2),
    fn(
      'split',
      member('string_split_string', [string, string, lists], split),
      member('string_split_string_int', [string, string, intType, lists], split),
    ),
  ),
  costing(
    ofArgument(0),
    fn(
      'substring',
      member('string_substring_int', [string, intType, string], substring),
      member('string_substring_int_int', [string, intType, intType, string], substring),
    ),
  ),
  costing(ofArgument(0), fn('trim', member('string_trim', [string, string], trim))),
  fn('format', { ...member('string_format', [string, listOf(dyn), string], formatted), cost: ofArgument(0) }),
  fn('strings.quote', { ...global('strings_quote', [string, string], quote), cost: ofArgument(0) }),
  costing(
    ofResult(2),
    fn('join', member('list_join', [lists, string], join), member('list_join_string', [lists, string, string], join)),
  ),
];
