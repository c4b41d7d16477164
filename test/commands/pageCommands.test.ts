// Every command of the documentation has a place where a test runs it as written; a new command runs there or fails.
import { expect, it } from 'vitest';
import { program } from '../../lib/commands/definitions/index.ts';
import { optionsOf } from '../../lib/commands/options.ts';
import { pathOf } from '../../lib/commands/verbPath.ts';
import { readText, trackedFiles } from '../house/sources.ts';
import {
  commandsAt,
  commandsOf,
  ofReleases,
  type PlaceName,
  pageCommands,
  placeOf,
  places,
} from './support/pageCommands.ts';
import { isBeginning, isCommand, notTyped, typedElsewhere } from './support/sentenceCommands.ts';

it('the commands of a page are the lines of its sh blocks, indented or not, without comments and with here-documents', () => {
  const text = [
    '```sh\n# none\nsluice get \\\n  rules   # all\n```\n```yaml\na: 1\n```\n',
    '1. a\n\n   ```sh\n   npx cdk deploy\n   ```\n',
    '```sh\nkubectl create -f - <<EOF\nkind: A\n# b\nEOF\nkubectl get a\n```\n',
  ];
  expect(commandsOf('a.md', text.join('')).map(({ command }) => command)).toEqual([
    'sluice get rules',
    'npx cdk deploy',
    'kubectl create -f - <<EOF\nkind: A\n# b\nEOF',
    'kubectl get a',
  ]);
});

it.each(Object.keys(places) as PlaceName[])(
  'the test of place %s runs the commands of that place, of which there is at least one',
  (name) => {
    expect(commandsAt(name).length).toBeGreaterThan(0);
    expect(readText(places[name].file)).toMatch(new RegExp(`commandsAt\\('${name}'\\)`));
  },
);

it('a command that matches no other place runs in the simulated cluster', () => {
  expect(['sluice fly', 'brew install sluice'].map(placeOf)).toEqual(['simulated', 'simulated']);
});

it.each(commandsAt('gate'))('.ci/run executes $command of $page', ({ command }) => {
  const typed: Readonly<Record<string, string>> = {
    'npm test': 'tier test npm test --silent',
    'npm run test:planted': 'beside planted npm run --silent test:planted',
    // npm start is `sluice demo`.
    'sluice demo --once --json': 'npm start --silent -- --once --json',
  };
  expect(readText('.ci/run')).toContain(typed[command] ?? `no line of .ci/run for ${command}`);
});

it.each(ofReleases)('test/release executes the release commands of pages: $takes', ({ takes, typed }) => {
  expect(pageCommands().some(({ command }) => takes.test(command))).toBe(true);
  const files = ['build.ts', 'release.release.test.ts', 'registry.release.test.ts'];
  const text = files.map((file) => readText(`test/release/${file}`)).join('\n');
  expect(typed.filter((one) => !text.includes(one))).toEqual([]);
});

it('docs/install.md counts its commands: at most five to the first paced eviction, and one to stop everything', () => {
  const [, section = ''] = /\n## From an empty machine[^\n]*\n([\s\S]*?)\n## /.exec(readText('docs/install.md')) ?? [];
  const counted = commandsOf('docs/install.md', section).map(({ command }) => command);
  const stops = counted.filter((one) => one.startsWith('sluice pause'));
  const leading = counted.length - stops.length;
  expect(counted[0]).toMatch(/^npm install /);
  expect(counted.at(leading - 1)).toMatch(/^sluice drain /);
  expect(leading).toBeLessThanOrEqual(5);
  expect(section).toContain(`${['No', 'One', 'Two', 'Three', 'Four', 'Five'][leading]} commands lead`);
  expect(stops).toEqual(['sluice pause --all']);
  expect(section).toContain('One command stops everything');
});

it('no code block of a page has a language other than sh, text, yaml, json and ts', () => {
  const marks = pagesWithCommands().flatMap((page) => blocksOf(readText(page)).map(({ mark }) => mark));
  expect([...new Set(marks)].filter((one) => !['', 'sh', 'text', 'yaml', 'json', 'ts'].includes(one))).toEqual([]);
});

it('commands inside sentences are run too, except a prefix of another command, which only names it', () => {
  expect(['sluice drain', 'sluice why pod <namespace>/<pod>', 'sluice cel eval EXPRESSION'].map(isCommand)).toEqual([
    true,
    true,
    true,
  ]);
  expect(['DisruptionTarget', 'sluice', 'sluice.dev/paused', 'sluice.yaml'].map(isCommand)).not.toContain(true);
  expect(isBeginning('sluice drain', 'sluice drain node node-7')).toBe(true);
  expect(isBeginning('sluice cel eval EXPRESSION', "sluice cel eval 'true'")).toBe(true);
  expect(isBeginning('sluice drain node', 'sluice drain')).toBe(false);
  const run = pageCommands().map(({ command }) => command);
  expect(run).toContain('sluice cost --nodes 500 --events 20');
  expect(run).not.toContain('sluice drain');
});

it.each([...typedElsewhere])('$file executes commands that sentences mention: $takes', ({ takes, file, typed }) => {
  expect(pageCommands().some(({ command }) => takes.test(command))).toBe(true);
  expect(readText(file)).toContain(typed);
});

it.each([...notTyped])('no test executes the command $takes: $because', ({ takes }) => {
  expect(pageCommands().some(({ command }) => takes.test(command))).toBe(true);
});

it('every sluice command inside a sentence has verbs and options that exist', () => {
  const wrong = trackedFiles()
    .filter((file) => file.endsWith('.md') && !/^(docs\/adr\/|CHANGELOG)/.test(file))
    .flatMap((page) => [...readText(page).matchAll(/`sluice ([^`\n]+)`/g)].map(([, words = '']) => ({ page, words })))
    .filter(({ words }) => !isUnderstood(words));
  expect(wrong).toEqual([]);
});

function isUnderstood(text: string): boolean {
  const words = text.split(/\s+/);
  const path = pathOf(words, program.verbs);
  const verb = path.at(-1);
  // `sluice VERB` is any of them.
  if (verb === undefined) return /^[A-Z]/.test(text);
  const known = optionsOf(verb).flatMap(({ flags }) => flags.match(/-{1,2}[A-Za-z][a-z-]*/g) ?? []);
  return words.every((word) => !/^--?[a-zA-Z]/.test(word) || ['--help', ...known].includes(word.split('=')[0] ?? ''));
}

it('every code block with a command is marked with a language', () => {
  const unmarked = pagesWithCommands()
    .flatMap((page) => blocksOf(readText(page)).map((block) => ({ page, ...block })))
    .filter(({ mark, text }) => mark === '' && /^ *(sluice|kubectl|helm|npm|npx|aws|cosign) /m.test(text));
  expect(unmarked).toEqual([]);
});

function pagesWithCommands(): readonly string[] {
  return [...new Set(pageCommands().map(({ page }) => page))];
}

function blocksOf(text: string): readonly { readonly mark: string; readonly text: string }[] {
  return [...text.matchAll(/^ *```(\w*)\n([\s\S]*?)^ *```/gm)].map(([, mark = '', block = '']) => ({
    mark,
    text: block,
  }));
}
