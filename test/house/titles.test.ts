// The title of a test reads as a law by itself, without the title of the group around it.
import { SyntaxKind } from 'typescript/unstable/ast';
import { describe, expect, it } from 'vitest';
import { readText, trackedFiles } from './sources.ts';
import { type Token, tokensOf } from './tokens.ts';

const placeholder = /%[sdjiof#]|\$\{?[\w.]+\}?/g;
const leastWords = 4;

/** Words that begin the rest of a sentence whose beginning is elsewhere. */
const fragments = new Set(
  `is are was were be been has had have does did do can may must will also and or but not no-one that which who whom whose
   where when while until unless once because if as than of by with without from to for in on at into under over beside besides
   between before after above below like so then there`.split(/\s+/),
);

interface Title {
  readonly line: number;
  readonly text: string;
}

/** Of `it` and `test`, with tables of rows too; a title of `describe` only names what the laws below it are about. */
function titlesOf(source: string): readonly Title[] {
  const tokens = tokensOf(source);
  return tokens.flatMap((token, index) => {
    const isTest = token.kind === SyntaxKind.Identifier && (token.text === 'it' || token.text === 'test');
    return isTest && tokens[index - 1]?.text !== '.' ? (titleAfter(tokens, index + 1) ?? []) : [];
  });
}

function titleAfter(tokens: readonly Token[], from: number): Title | undefined {
  let at = from;
  while (tokens[at]?.text === '.') at += 2;
  if (tokens[at]?.text !== '(') return undefined;
  const isTable = tokens[at - 1]?.text === 'each' || tokens[at - 1]?.text === 'for';
  if (isTable) at = endOf(tokens, at) + 1;
  const title = tokens[at + 1];
  const isText =
    title?.kind === SyntaxKind.StringLiteral ||
    title?.kind === SyntaxKind.NoSubstitutionTemplateLiteral ||
    title?.kind === SyntaxKind.TemplateHead;
  return isText && tokens[at]?.text === '(' ? { line: title.line, text: title.text } : undefined;
}

/** Index of the bracket that closes the one at `from`. */
function endOf(tokens: readonly Token[], from: number): number {
  let depth = 0;
  for (let at = from; at < tokens.length; at++) {
    const { text = '', kind } = tokens[at] ?? {};
    if (kind === SyntaxKind.StringLiteral) continue;
    if (text === '(') depth += 1;
    if (text === ')') depth -= 1;
    if (depth === 0) return at;
  }
  return tokens.length;
}

/** Why a title is no law; nothing where it is one. */
function whyNot(title: string): string | undefined {
  const own = title.replaceAll('%%', '%').replace(placeholder, ' ');
  const words = own.match(/[\p{L}\d’'`.-]*[\p{L}\d][\p{L}\d’'`.-]*/gu) ?? [];
  if (words.length < leastWords) return `has fewer than ${leastWords} words of its own`;
  const [first = ''] = title.replace(/^(%[sdji]|\$[\w.]+): */, '').split(/[\s,:]/);
  return fragments.has(first.toLowerCase()) ? `begins with "${first}"` : undefined;
}

/** Titles of whole commands, as pages have them. */
const commands = new Set(['%s: %s', '$page: $command']);

describe('the titles of tests', () => {
  it.each([
    ["it('is deleted after it', () => {});", 'begins with "is"'],
    ["it('evicts', () => {});", 'has fewer than 4 words of its own'],
    ["it.each([['a']])('%s', () => {});", 'has fewer than 4 words of its own'],
    ["it.each([['a', f(1)]] as const)('%s is fine', () => {});", 'has fewer than 4 words of its own'],
    ["it.each([['a']])('%s: where it waits, a pod stays', () => {});", 'begins with "where"'],
    ["it.each([['a']])('a rule is read as a law: %s', () => {});", undefined],
    ["it('evicts at most maxPerNode pods of a node', () => {});", undefined],
  ])('a title needs four words and its own beginning: %s', (text, why) => {
    const titles = titlesOf(text);
    expect(titles).toHaveLength(1);
    expect(titles.map((title) => whyNot(title.text))).toEqual([why]);
  });

  it('a title of describe may be a plain noun', () => {
    expect(titlesOf("describe.each([['a']])('%s', () => {});")).toEqual([]);
  });

  it('every title of a test is a law by itself', () => {
    const tests = trackedFiles().filter((file) => file.startsWith('test/') && file.endsWith('.test.ts'));
    expect(tests.length).toBeGreaterThan(100);
    const titles = tests
      .filter((file) => file !== 'test/house/titles.test.ts')
      .flatMap((file) => titlesOf(readText(file)).map((title) => ({ file, ...title })))
      .filter(({ text }) => !commands.has(text));
    expect(titles.length).toBeGreaterThan(2000);
    const wrong = titles.flatMap(({ file, line, text }) => {
      const why = whyNot(text);
      return why === undefined ? [] : [`${file}:${line}: "${text}" ${why}`];
    });
    expect(wrong).toEqual([]);
  });
});
