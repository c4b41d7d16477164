// The docs site has every page once, in one part, and no part names a page that does not exist.
import { describe, expect, it } from 'vitest';
import { decisions, parts } from '../../docs/site/parts.ts';
import { readText, trackedFiles } from './sources.ts';

const pages = trackedFiles().flatMap((file) => /^docs\/(?!adr\/\d|index\b)(.*)\.md$/.exec(file)?.[1] ?? []);

describe('the docs site', () => {
  it('the docs site has each page of docs/ in exactly one part', () => {
    const named = [...parts.flatMap((part) => part.pages), decisions];
    expect(named.toSorted()).toEqual(pages.toSorted());
  });

  it('the docs site leads from its first page to each part', () => {
    const links = [...readText('docs/index.md').matchAll(/\]\(([^)]+)\.md\)/g)].map(([, page = '']) => page);
    const without = parts.filter(
      (part) => part.title !== 'Contribute' && !part.pages.some((page) => links.includes(page)),
    );
    expect(without).toEqual([]);
  });

  it('the docs site begins the part for operators with what to do when pods disappear', () => {
    expect(parts.find(({ title }) => title === 'Operate')?.pages[0]).toBe('pods-are-disappearing');
  });
});
