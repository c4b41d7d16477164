// Pages are right about the project: links lead somewhere, commands exist, decisions are numbered and listed.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { layers } from './layers.ts';
import { anchorsOf, readText, root, trackedFiles } from './sources.ts';

const pages = trackedFiles().filter((file) => file.endsWith('.md'));
const { scripts } = JSON.parse(readText('package.json')) as { scripts: Record<string, string> };

/** Text without code, where brackets and parentheses mean something else. */
function prose(text: string): string {
  return text.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '');
}

/** Targets of links and pictures that are files of this project; addresses and anchors of the same page are not. */
function localLinks(text: string): readonly string[] {
  const targets = [...prose(text).matchAll(/\]\(([^()\s]+)\)|\b(?:src|href)="([^"]+)"/g)].map(
    (m) => m[1] ?? m[2] ?? '',
  );
  return targets.filter((one) => !/^([a-z]+:|#)/.test(one)).map((one) => one.replace(/[#?].*$/, ''));
}

describe('every page', () => {
  it.each(pages)('%s links only to files that exist', (page) => {
    const missing = localLinks(readText(page)).filter((to) => !existsSync(path.join(root, path.dirname(page), to)));
    expect(missing).toEqual([]);
  });

  it.each(pages)('%s links only to headings that it has', (page) => {
    const text = readText(page);
    const targets = [...prose(text).matchAll(/\]\(#([^()\s]+)\)/g)].map(([, anchor]) => anchor ?? '');
    expect(targets.filter((anchor) => !anchorsOf(text).includes(anchor))).toEqual([]);
  });

  it('a link is found in text and HTML, and not in code', () => {
    const text = 'See [a](docs/a.md#part), [b](https://example.org), `[c](c.md)` and <img src="d.svg">.';
    expect(localLinks(text)).toEqual(['docs/a.md', 'd.svg']);
    expect(anchorsOf('## What `npm start` shows')).toEqual(['what-npm-start-shows']);
  });
});

it('the README and the pages that are neither reference nor decisions have at most 12,000 words', () => {
  const read = pages.filter((page) => page === 'README.md' || /^docs\/[^/]+\.md$/.test(page));
  const words = read.map((page) => readText(page).split(/\s+/).filter(Boolean).length);
  expect(read.length).toBeGreaterThan(10);
  expect(words.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(12_000);
});

describe('commands', () => {
  const npmOwn = ['ci', 'install'];

  it.each(pages)('npm commands of %s exist in package.json', (page) => {
    const named = [...readText(page).matchAll(/npm (?:run (?:--silent |-s )?)?([a-z][a-z:]*)/g)].flatMap(
      ([all, name = '']) => (all.startsWith('npm run') || ['test', 'start', ...npmOwn].includes(name) ? [name] : []),
    );
    expect(named.filter((name) => !npmOwn.includes(name) && scripts[name] === undefined)).toEqual([]);
  });

  it('scripts of package.json start files that exist', () => {
    const started = Object.values(scripts).flatMap((line) => line.match(/[\w/.-]+\.(?:ts|mjs|js)\b/g) ?? []);
    expect(started.length).toBeGreaterThan(5);
    expect(started.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  });

  it('the README names npm start and npm test', () => {
    expect(readText('README.md')).toMatch(/^npm start$/m);
    expect(readText('README.md')).toMatch(/^npm test$/m);
  });
});

describe('decisions', () => {
  const records = pages.filter((file) => /^docs\/adr\/\d{4}-[a-z0-9-]+\.md$/.test(file)).sort();

  it('decisions are numbered from 0001 without gaps', () => {
    const numbers = records.map((file) => Number(path.basename(file).slice(0, 4)));
    expect(numbers).toEqual(records.map((_, i) => i + 1));
  });

  it('decisions are all in the index, under their own title', () => {
    const index = readText('docs/adr/README.md');
    const titles = records.map((file) => ({ file, title: /^# \d{4}: (.*)$/m.exec(readText(file))?.[1] }));
    expect(titles.filter(({ file, title }) => !index.includes(`[${title}](${path.basename(file)})`))).toEqual([]);
  });

  it.each(records)('%s has context, decision, consequences and alternatives', (file) => {
    const headings = [...readText(file).matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual(expect.arrayContaining(['Context', 'Decision', 'Consequences', 'Alternatives']));
  });
});

describe('the map of the code', () => {
  it('CONTRIBUTING.md repeats the table of layers, from the bottom to the top', () => {
    const rows = layers.map(({ path: folder, holds }) => `| \`${folder}\` | ${holds} |`).join('\n');
    expect(readText('CONTRIBUTING.md')).toContain(rows);
  });
});

describe('the page about packages', () => {
  it('the page about packages names every package of package.json', () => {
    const manifest = JSON.parse(readText('package.json')) as Record<string, Record<string, string> | undefined>;
    const kinds = ['dependencies', 'devDependencies', 'optionalDependencies'];
    const names = kinds.flatMap((kind) => Object.keys(manifest[kind] ?? {}));
    expect(names.filter((name) => !readText('docs/reference/packages.md').includes(`\`${name}\``))).toEqual([]);
  });
});
