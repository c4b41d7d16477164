// The docs site has every page once: a page that is in no part cannot be found, and a part cannot name a page that is not there.
import { describe, expect, it } from 'vitest';
import { decisions, parts } from '../../docs/site/parts.ts';
import { readText, trackedFiles } from './sources.ts';

const pages = trackedFiles().flatMap((file) => /^docs\/(?!adr\/\d|index\b)(.*)\.md$/.exec(file)?.[1] ?? []);

describe('the docs site', () => {
  it('has each page of docs/ in exactly one part', () => {
    const named = [...parts.flatMap((part) => part.pages), decisions];
    expect(named.toSorted()).toEqual(pages.toSorted());
  });

  it('leads from its first page to each part', () => {
    const links = [...readText('docs/index.md').matchAll(/\]\(([^)]+)\.md\)/g)].map(([, page = '']) => page);
    const without = parts.filter(
      (part) => part.title !== 'Contribute' && !part.pages.some((page) => links.includes(page)),
    );
    expect(without).toEqual([]);
  });

  it('begins the part for operators with what to do when pods disappear', () => {
    expect(parts.find(({ title }) => title === 'Operate')?.pages[0]).toBe('pods-are-disappearing');
  });
});
