// References in comments and titles exist: a file of the repository, a numbered rule, or a decision.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readText, root, trackedFiles } from './sources.ts';

const sources = trackedFiles().filter((file) =>
  /^(lib|functions|infra|bin|scripts|test|bench)\/.*\.(ts|mjs)$/.test(file),
);
const decisions = trackedFiles().flatMap((file) => /^docs\/adr\/(\d{4})-/.exec(file)?.[1] ?? []);
const rules = new Set(
  [...readText('docs/reference/rules.md').matchAll(/^(\d\.\d+) /gm)].map(([, number]) => number ?? ''),
);

/** Lines of comments and titles of tests: what a reader meets as a reference. */
function remarks(text: string): readonly string[] {
  return text
    .split('\n')
    .filter((line) => /^\s*(\/\/|\/\*|\*)|\b(?:it|describe|test)(?:\.each\([^)]*\))?\(/.test(line));
}

/** What a remark refers to and a reader cannot look up. */
function leadsNowhere(remark: string): readonly string[] {
  const pages = [...remark.matchAll(/(?<![\w/.-])(?:docs|deploy|lib|infra|test)\/[\w/.-]+\.(?:md|ts|yaml)\b/g)].map(
    ([page]) => page,
  );
  const records = [...remark.matchAll(/\bADR (\d{4})\b/g)].map(([, number = '']) => number);
  const numbered = [...remark.matchAll(/docs\/reference\/rules\.md (\d\.\d+)(?: (?:and|to) (\d\.\d+))?/g)].flatMap(
    ([, from = '', to]) => (to === undefined ? [from] : [from, to]),
  );
  const unknown = remark.match(/\b(?:semantics|design|protocol|redesign|peers|aws)\.md\b|\(protocol \d+\)/g) ?? [];
  return [
    ...pages.filter((page) => !existsSync(path.join(root, page))),
    ...records.filter((number) => !decisions.includes(number)).map((number) => `ADR ${number}`),
    ...numbered.filter((number) => !rules.has(number)).map((number) => `docs/reference/rules.md ${number}`),
    ...unknown,
  ];
}

describe('every comment and title', () => {
  it('every comment and title refers to pages, rules and decisions that exist', () => {
    const broken = sources
      .filter((file) => file !== 'test/house/references.test.ts')
      .flatMap((file) =>
        remarks(readText(file)).flatMap((remark) => leadsNowhere(remark).map((to) => `${file}: ${to}`)),
      );
    expect(sources.length).toBeGreaterThan(500);
    expect(rules.size).toBeGreaterThan(20);
    expect(broken).toEqual([]);
  });

  it.each([
    ['// As docs/nowhere.md says.', 'docs/nowhere.md'],
    ['/** Upstream counts it (docs/reference/rules.md 9.9). */', 'docs/reference/rules.md 9.9'],
    [' * Decided in ADR 9999.', 'ADR 9999'],
    ['// A verdict from before it loses (protocol 4).', '(protocol 4)'],
  ])('a reference that leads nowhere is found: %j', (remark, to) => {
    expect(remarks(remark).flatMap(leadsNowhere)).toEqual([to]);
  });
});
