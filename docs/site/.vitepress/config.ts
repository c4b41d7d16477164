// The docs site: the Markdown pages of docs/ as they are, with a sidebar, a search that works offline and bundled fonts.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { defineConfig } from 'vitepress';
import { decisions, parts } from '../parts.ts';

const docs = path.join(import.meta.dirname, '..', '..');

/** A page's own title, so that the sidebar cannot say something else. */
function titleOf(page: string): string {
  const title = /^# (.*)$/m.exec(readFileSync(path.join(docs, `${page}.md`), 'utf8'))?.[1];
  if (title === undefined) throw new Error(`docs/${page}.md has no title`);
  return title.replaceAll('`', '');
}

/** Sections that fold would be buttons within buttons, which screen readers cannot operate. */
const section = (title: string, pages: readonly string[]) => ({
  text: title,
  items: pages.map((page) => ({ text: titleOf(page), link: `/${page}` })),
});

/** Links to files of the repository that are no pages lead nowhere on the site: their text stays. */
function withoutLinksToSources(content: string, file: string): string {
  return content.replace(
    /\[([^\]]+)\]\((?!https?:|#|mailto:)([^)#\s]*)(#[^)\s]*)?\)/g,
    (link, text: string, target: string) => {
      const to = path.relative(docs, path.resolve(path.dirname(file), target));
      return to.startsWith('..') || !/\.(md|png|svg)$/.test(to) ? text : link;
    },
  );
}

export default defineConfig({
  title: 'Sluice',
  description: 'Paced, explainable eviction of pods from tainted devices on Kubernetes',
  srcDir: '..',
  srcExclude: ['site/**', 'man/**'],
  rewrites: { 'adr/README.md': 'adr/index.md' },
  cleanUrls: true,
  lastUpdated: false,
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: (md) => {
      const { image } = md.renderer.rules;
      // A keyboard scrolls only what has the focus.
      if (image) md.renderer.rules.image = (...drawn) => `<span class="picture" tabindex="0">${image(...drawn)}</span>`;
    },
  },
  vite: {
    plugins: [
      {
        name: 'links-to-sources',
        enforce: 'pre',
        transform: (content: string, id: string) =>
          id.endsWith('.md') ? withoutLinksToSources(content, id) : undefined,
      },
    ],
  },
  themeConfig: {
    search: {
      provider: 'local',
      options: {
        miniSearch: {
          // A page says how things are, a decision why; most readers look for the first.
          searchOptions: { boostDocument: (id: string) => (id.includes('adr/') ? 0.2 : 1) },
        },
      },
    },
    outline: 'deep',
    sidebar: [...parts.map(({ title, pages }) => section(title, pages)), section('Decisions', [decisions])],
  },
});
