// Page of all links that leave the repository: tests follow only links between files, because they need no network.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { table } from './markdown.ts';

const root = path.join(import.meta.dirname, '..', '..');
export const linksFile = 'docs/reference/links.md';

/** Addresses in a page, without those in code. */
export function addressesIn(text: string): readonly string[] {
  const prose = text.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '');
  const found = [
    ...prose.matchAll(
      /\]\((https?:[^()\s]+(?:\([^()\s]*\)[^()\s]*)*)\)|\b(?:src|href)="(https?:[^"]+)"|<(https?:[^>\s]+)>/g,
    ),
  ];
  return found.map(([, link, attribute, plain]) => link ?? attribute ?? plain ?? '');
}

export function linksPage(): string {
  const pages = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...pagesBelow('docs')].filter(
    (one) => one !== linksFile,
  );
  const links = pages.flatMap((page) =>
    addressesIn(readFileSync(path.join(root, page), 'utf8')).map((address) => ({ address, page })),
  );
  const byAddress = Map.groupBy(links, ({ address }) => address);
  const rows = [...byAddress]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([address, of]) => [`<${address}>`, [...new Set(of.map(({ page }) => `\`${page}\``))].join(', ')]);
  return `# Links to other sites

Tests follow links between the files of the repository. They need no network, so these are listed for a person who follows them before a release. \`npm run generate:reference\` makes this page.

${table(['address', 'pages'], rows)}
`;
}

function pagesBelow(folder: string): readonly string[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md') && !file.includes('node_modules'))
    .map((file) => path.posix.join(folder, file.split(path.sep).join('/')))
    .sort();
}
