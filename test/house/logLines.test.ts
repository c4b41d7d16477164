// Log lines that the runbook and the page about production readiness tell users to look for are the ones that the code writes.
import { describe, expect, it } from 'vitest';
import { readText, sourcesUnder } from './sources.ts';

const logged = new Set(
  sourcesUnder('lib', 'functions').flatMap((file) =>
    [...readText(file).matchAll(/\b(?:log|logger)\.(?:info|warn|error)\(\s*['"`]([^'"`]+)['"`]/g)].map(
      ([, text = '']) => text,
    ),
  ),
);

/** Of Lambda and of Node.js. */
const ofOthers = new Set(['Task timed out', 'Runtime', 'OutOfMemory']);

const queried = [
  ...readText('docs/runbook.md').matchAll(/filter (?:@?message) (=|in|like) ("[^"]*"|\[[^\]]*\]|\/[^/]*\/)/g),
].flatMap(([, how, what = '']) =>
  how === 'like' ? what.slice(1, -1).split('|') : [...what.matchAll(/"([^"]*)"/g)].map(([, text = '']) => text),
);

/** The last column but one of the table of failures. */
const named = readText('docs/reference/production-readiness.md')
  .split('\n')
  .filter((line) => line.startsWith('| ') && line.split(' | ').length === 5)
  .flatMap((line) => [...(line.split(' | ')[3] ?? '').matchAll(/`([a-z-]+(?: [a-z-]+)+)`/g)])
  .map(([, text = '']) => text)
  .filter((text) => !text.startsWith('sluice '));

describe('a log line', () => {
  it('log lines are found in the code, the runbook and the page about production readiness', () => {
    expect(logged.size).toBeGreaterThan(20);
    expect(queried.length).toBeGreaterThan(5);
    expect(named.length).toBeGreaterThan(5);
  });

  it.each([...new Set([...queried, ...named])].filter((text) => !ofOthers.has(text)))(
    '"%s", which a page tells users to look for, is logged',
    (text) => {
      const said = sourcesUnder('lib', 'functions').some((file) => readText(file).includes(text));
      expect(logged.has(text) || (text === 'Sluice cannot start' && said)).toBe(true);
    },
  );
});
