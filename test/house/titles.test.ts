// The title of a test reads as a law by itself: a row of a table adds its case to a title, and is never the whole of it.
import { describe, expect, it } from 'vitest';
import { readText, trackedFiles } from './sources.ts';

const endOfRows = /[\])](?: as const)?\)\(\s*(['"`])((?:\\.|(?!\1).)*)\1,/g;
const placeholder = /%[sdjiof#]|\$\{?[\w.]+\}?/g;
const leastWords = 3;

/** Of `it.each`; a title of `describe.each` only names what the laws below it are about. */
function bareTitles(text: string): readonly string[] {
  return [...text.matchAll(endOfRows)].flatMap(({ index, 2: title = '' }) => {
    const [, of] = [...text.slice(0, index).matchAll(/\b(describe|it|test)\.each\b/g)].at(-1) ?? [];
    const isOfRows = title.replaceAll('%%', '').search(placeholder) >= 0 && of !== 'describe';
    const words = title.replace(placeholder, ' ').match(/[\w’'`.-]+/g) ?? [];
    return isOfRows && words.length < leastWords ? [title] : [];
  });
}

/** Titles of whole commands, as pages have them. */
const commands = new Set(['%s: %s', '$page: $command']);

describe('the titles of tests', () => {
  it.each([
    ["it.each([['a']])('%s', () => {});", ['%s']],
    ["it.each([['a']] as const)('%s is fine', () => {});", ['%s is fine']],
    ["it.each([['a']])('a rule is read as a law: %s', () => {});", []],
    ["describe.each([['a']])('%s', () => {});", []],
  ])('a title of rows needs three words of its own: %s', (text, bare) => {
    expect(bareTitles(text)).toEqual(bare);
  });

  it('no title of a test is only what a row of its table adds to it', () => {
    const tests = trackedFiles().filter((file) => file.startsWith('test/') && file.endsWith('.test.ts'));
    expect(tests.length).toBeGreaterThan(100);
    const own = 'test/house/titles.test.ts';
    const bare = tests
      .filter((file) => file !== own)
      .flatMap((file) =>
        bareTitles(readText(file))
          .filter((title) => !commands.has(title))
          .map((title) => `${file}: ${title}`),
      );
    expect(bare).toEqual([]);
  });
});
