// Parses the text of sluice.yaml to values with positions, or to problems; never throws.
import { isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument, type Scalar, visit } from 'yaml';
import type { Path, Problem } from './problem.ts';

export interface Placed extends Problem {
  readonly line: number;
  readonly column: number;
}

export interface ReadDocument {
  readonly value: unknown;
  /** Syntax problems. */
  readonly problems: readonly Placed[];
  place(problem: Problem): Placed;
  /** The number at the path as it is written, such as `0123`; absent for another value. */
  numberAt(path: Path): string | undefined;
}

/** Maximum characters to parse; sixty clusters take 150 KB. */
const longestText = 1_000_000;

/** Maximum nesting depth; the schema needs six. */
const deepest = 50;

const tooDeep = `it is nested more than ${deepest} levels deep`;

export function readDocument(text: string): ReadDocument {
  // Bytes that are not UTF-8 were read as U+FFFD.
  if (text.includes('\0') || text.includes('\ufffd')) return refused('the file is not text in UTF-8');
  if (text.length > longestText) return refused('the file is larger than 1 MB');
  if (isNestedDeeply(text)) return refused(tooDeep);
  const lines = new LineCounter();
  // Keys are compared below: the parser's own comparison takes minutes for a file of many keys.
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    logLevel: 'error',
    uniqueKeys: false,
  });
  const at = (offset: number, problem: Problem): Placed => {
    const { line, col } = lines.linePos(Math.min(offset, text.length));
    return { ...problem, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const problems = [...document.errors, ...document.warnings].map((one) =>
    at(one.pos[0], { path: [], text: plain(one.message) }),
  );
  visit(document, {
    Map(_, { items }) {
      for (const { key, first } of duplicatesIn(items))
        problems.push(
          at(offsetOfKey(key), {
            path: [],
            text: `the key ${first.value} is in line ${at(offsetOfKey(first), { path: [], text: '' }).line} already`,
          }),
        );
    },
    Pair(_, { key }) {
      if (!isScalar(key) || typeof key.value !== 'string')
        problems.push(at((key as Node | null)?.range?.[0] ?? 0, { path: [], text: 'a key must be text' }));
    },
    Alias(_, alias) {
      problems.push(at(alias.range?.[0] ?? 0, { path: [], text: 'aliases are not supported: write the value out' }));
    },
  });
  const offsetOf = ({ path, isKey }: Problem) => offsetAt(document.contents, path, isKey === true);
  return {
    value: problems.length > 0 ? undefined : document.toJS(),
    problems: firstOfEachLine(problems),
    place: (problem) => at(offsetOf(problem), problem),
    numberAt: (path) => {
      const node = document.getIn(path, true);
      return isScalar(node) && typeof node.value === 'number' ? node.source : undefined;
    },
  };
}

const offsetOfKey = (key: Scalar) => key.range?.[0] ?? 0;

/** Keys that a mapping has already, each with the first one of its name. */
function duplicatesIn(items: readonly Pair[]): readonly { readonly key: Scalar; readonly first: Scalar }[] {
  const firsts = new Map<unknown, Scalar>();
  return items.flatMap(({ key }) => {
    if (!isScalar(key)) return [];
    const first = firsts.get(key.value);
    if (!first) firsts.set(key.value, key);
    return first ? [{ key, first }] : [];
  });
}

function refused(text: string): ReadDocument {
  const place = (problem: Problem) => ({ ...problem, line: 1, column: 1 });
  return { value: undefined, problems: [place({ path: [], text })], place, numberAt: () => undefined };
}

/** The recursive parser would overflow its stack. Also counts brackets in strings: no configuration has that many. */
function isNestedDeeply(text: string): boolean {
  const brackets = text.match(/[[{]/g)?.length ?? 0;
  const dashes = text
    .split('\n')
    .some((line) => (line.match(/^(\s*[-?:]\s)+/)?.[0].match(/[-?:]/g)?.length ?? 0) > deepest);
  const indents = new Set(text.split('\n').map((line) => line.search(/\S/)));
  return brackets > 10_000 || dashes || indents.size > deepest;
}

/** One problem per line: one mistake often causes several errors. */
function firstOfEachLine(problems: readonly Placed[]): readonly Placed[] {
  const firsts = new Map(problems.toReversed().map((one) => [one.line, one]));
  return problems.filter((one) => firsts.get(one.line) === one);
}

/** Offset of the node at the path, or of its key with `ofKey`; else of the innermost existing parent. */
function offsetAt(root: Node | null, path: Problem['path'], ofKey: boolean): number {
  let node = root;
  let offset = root?.range?.[0] ?? 0;
  for (const [i, step] of path.entries()) {
    const inner = innerOf(node, step);
    if (!inner) return offset;
    node = inner.value;
    const isLast = i === path.length - 1;
    offset = (isLast && ofKey ? inner.key : (inner.value ?? inner.key))?.range?.[0] ?? offset;
  }
  return offset;
}

function innerOf(node: Node | null, step: string | number): { key: Node | null; value: Node | null } | undefined {
  if (isSeq(node)) {
    const item = node.items[Number(step)] as Node | undefined;
    return item && { key: null, value: item };
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.find(({ key }) => isScalar(key) && key.value === step);
  return pair && { key: pair.key as Node, value: pair.value as Node | null };
}

/** Message without terms of the YAML library; a stack overflow becomes the message about nesting. */
function plain(message: string): string {
  if (/call stack/.test(message)) return tooDeep;
  if (/^Implicit map keys need to be followed by map values/.test(message)) return 'a key must be followed by a colon';
  return message.replace(/; please use YAML\.parseAllDocuments\(\)/, ': one file holds one configuration');
}
