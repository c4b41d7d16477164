// The page Timeline: evictions of the last day with their reasons, by rule, node and team; they stay after their rule is done.
import { markup } from '../markup.ts';
import type { LastEviction } from '../progress.ts';
import { clockText, countText } from '../words.ts';
import type { ConsolePage } from './page.ts';
import { pageOf, renderFilters, renderPager, renderTable, whyHref, withQuery } from './parts.ts';

export interface TimelineQuery {
  readonly rule: string;
  readonly node: string;
  readonly team: string;
  readonly page: number;
}

export interface Timeline {
  /** Newest first. */
  readonly evictions: readonly LastEviction[];
  /** Older ones exist that were not read. */
  readonly isPartial: boolean;
  readonly now: number;
}

const onPage = 50;
const hours = 24;
/** Of the chart. */
const bins = 96;

export function timelinePage({ evictions, isPartial, now }: Timeline, query: TimelineQuery): ConsolePage {
  const found = evictions.filter((one) => matches(one, query));
  const page = pageOf(found, { number: query.page, size: onPage });
  const href = (number: number) =>
    withQuery('/timeline', { rule: query.rule, node: query.node, team: query.team, page: number });
  const empty = evictions.length === 0 ? `No pod was evicted in the last ${hours} hours.` : 'No eviction matches.';
  return {
    title: 'Timeline',
    tab: 'timeline',
    regions: [
      {
        id: 'filters',
        html: renderFilters('/timeline', [
          { name: 'rule', label: 'Rule', value: query.rule },
          { name: 'node', label: 'Node', value: query.node },
          { name: 'team', label: 'Team', value: query.team },
        ]),
      },
      { id: 'chart', html: renderChart(found, now) },
      {
        id: 'evictions',
        html: markup`<section class="panel" aria-label="Evictions"><h2>${isPartial ? 'At least ' : ''}${countText(found.length, 'eviction')} in ${hours} hours</h2>${found.length === 0 ? markup`<p class="more">${empty}</p>` : renderTable(columns, page.items, 'Evictions, newest first')}${renderPager(page, href)}</section>`,
      },
    ],
  };
}

/** Where there is no state table to ask. */
export function noTimelinePage(why: string): ConsolePage {
  return {
    title: 'Timeline',
    tab: 'timeline',
    regions: [{ id: 'evictions', html: markup`<section class="panel" aria-label="Evictions"><p>${why}</p></section>` }],
  };
}

function matches({ source, node, pod }: LastEviction, query: TimelineQuery): boolean {
  return (
    source.replace(' ', '/').includes(query.rule) &&
    (node ?? '').includes(query.node) &&
    (query.team === '' || pod.namespace === query.team)
  );
}

/** Evictions in each quarter of an hour, as one path. */
function renderChart(evictions: readonly LastEviction[], now: number) {
  const span = (hours * 3_600_000) / bins;
  const counts = new Array<number>(bins).fill(0);
  for (const { at } of evictions) {
    const bin = bins - 1 - Math.floor((now - at) / span);
    if (bin >= 0 && bin < bins) counts[bin] = (counts[bin] ?? 0) + 1;
  }
  const most = Math.max(...counts);
  if (most === 0) return markup``;
  const bars = counts.flatMap((count, i) =>
    count === 0 ? [] : `M${i * 10} 100h8v-${Math.max(2, Math.round((96 * count) / most))}h-8z`,
  );
  const label = `Evictions in each quarter of an hour of the last ${hours} hours, ${most} at most`;
  return markup`<figure class="panel"><svg class="timeline" role="img" aria-label="${label}" viewBox="0 0 ${bins * 10} 100" preserveAspectRatio="none" width="100%" height="72"><path class="deletes" d="${bars.join('')}"/></svg><figcaption>Evictions per quarter of an hour, ${most} at most; the right edge is now.</figcaption></figure>`;
}

const columns = [
  {
    name: 'Pod',
    of: ({ pod }: LastEviction) =>
      markup`<a href="${whyHref('pod', `${pod.namespace}/${pod.name}`)}">${pod.namespace}/${pod.name}</a>`,
  },
  { name: 'Time, UTC', of: ({ at }: LastEviction) => markup`<time>${clockText(at)}</time>` },
  { name: 'Node', of: ({ node }: LastEviction) => node ?? '–' },
  { name: 'Why', of: ({ source, taint }: LastEviction) => markup`${source} <code>${taint}</code>` },
  { name: 'Device', of: ({ device }: LastEviction) => markup`<span class="device">${device}</span>` },
  { name: 'Outcome', of: ({ outcome }: LastEviction) => outcome },
];
