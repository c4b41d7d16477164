// Timeline page: evictions of a day with reasons, by rule, node and team, and earlier days; kept after a rule is completed.
import { formatInstant, type Instant } from '../../model/time.ts';
import { markup } from '../markup.ts';
import type { LastEviction } from '../progress.ts';
import { countText, durationText, numberText, timeText } from '../words.ts';
import type { ConsolePage, Region } from './page.ts';
import { hasText, pageOf, podLink, renderFilters, renderFold, renderPager, renderTable, withQuery } from './parts.ts';

export interface TimelineQuery {
  readonly rule: string;
  readonly node: string;
  readonly team: string;
  readonly page: number;
  /** From the address; empty means one day before `until`. */
  readonly from: string;
  /** From the address; empty means now. */
  readonly until: string;
}

export interface Timeline {
  /** From `since` to `until`, newest first. */
  readonly evictions: readonly LastEviction[];
  readonly since: Instant;
  readonly until: Instant;
  readonly now: Instant;
}

const onPage = 50;
/** Bars of the chart. */
const bins = 96;

export function timelinePage(timeline: Timeline, query: TimelineQuery): ConsolePage {
  const { evictions, since, until, now } = timeline;
  const found = evictions.filter((one) => matches(one, query));
  const page = pageOf(found, { number: query.page, size: onPage });
  const { rule, node, team } = query;
  const at = (to: Readonly<Record<string, string | number>>) => withQuery('/timeline', { rule, node, team, ...to });
  const href = (number: number) => at({ from: query.from, until: query.until, page: number });
  const when =
    query.from === '' && query.until === ''
      ? `since ${timeText(since, now)}`
      : `from ${dateText(since)} to ${dateText(until)}`;
  const empty = evictions.length === 0 ? 'No pod was evicted in this time.' : 'No eviction matches.';
  return {
    title: 'Timeline',
    tab: 'timeline',
    regions: [
      filtersRegion(query),
      { id: 'chart', html: renderChart(found, chartRange(timeline, query)) },
      {
        id: 'evictions',
        html: markup`<section class="panel" aria-label="Evictions"><h2>${countText(found.length, 'eviction')} ${when}, UTC</h2>${found.length === 0 ? markup`<p class="more">${empty}</p>` : renderFold({ id: 'all-evictions', shown: 2, count: page.items.length, what: `all ${page.items.length} of this page` }, renderTable(columnsAt(now), page.items, 'Evictions, newest first', 'evictions'))}${renderPager(page, href)}</section>`,
      },
      // Addresses have whole seconds: an eviction in the boundary second is on both pages, so that none is missing.
      {
        id: 'times',
        html: markup`<nav class="pager" aria-label="Times"><a class="button" rel="next" href="${at({ until: formatInstant(since + 999) })}">Earlier</a>${(query.from !== '' || query.until !== '') && markup`<a class="button" href="${at({})}">Now</a>`}</nav>`,
      },
    ],
  };
}

function filtersRegion({ rule, node, team, from, until }: TimelineQuery): Region {
  const html = renderFilters('/timeline', [
    { name: 'rule', label: 'Rule', value: rule },
    { name: 'node', label: 'Node', value: node },
    { name: 'team', label: 'Team', value: team },
    { name: 'from', label: 'From, UTC', value: fieldText(from), type: 'datetime-local' },
    { name: 'until', label: 'Until, UTC', value: fieldText(until), type: 'datetime-local' },
  ]);
  return { id: 'filters', html };
}

/** For a time range that cannot be read: the form, so that it can be corrected, and what is wrong with it. */
export function refusedTimelinePage(why: string, query: TimelineQuery): ConsolePage {
  const html = markup`<section class="panel" aria-label="Problem"><p role="alert">${why}</p></section>`;
  return {
    title: 'Timeline',
    tab: 'timeline',
    isStill: true,
    status: 400,
    regions: [filtersRegion(query), { id: 'problem', html }],
  };
}

/** Page shown without a state table. */
export function noTimelinePage(why: string): ConsolePage {
  return {
    title: 'Timeline',
    tab: 'timeline',
    regions: [{ id: 'evictions', html: markup`<section class="panel" aria-label="Evictions"><p>${why}</p></section>` }],
  };
}

function matches({ sources, node, pod }: LastEviction, query: TimelineQuery): boolean {
  return (
    (query.rule === '' || sources.some((source) => hasText(source, query.rule))) &&
    hasText(node ?? '', query.node) &&
    (query.team === '' || pod.namespace === query.team)
  );
}

/** Possible seconds per bar if the address has no times; with the largest, the chart covers a day. */
const steps = [10, 15, 20, 30, 60, 120, 300, 600, 900];

/**
 * Starts the chart near the first eviction: recent evictions on a full-day chart would be a single bar. Until now, bars begin at multiples
 * of their length, so that a bar of the past does not change with time.
 */
function chartRange({ evictions, since, until }: Timeline, { from, until: said }: TimelineQuery) {
  if (from !== '') return { since, until };
  const first = Math.min(until, ...evictions.slice(-1).map(({ at }) => at));
  const endWith = (step: number) => (said === '' ? (Math.floor(until / step / 1000) + 1) * step * 1000 : until);
  const step = steps.find((one) => endWith(one) - first < bins * one * 1000);
  if (step === undefined) return { since, until };
  return { since: endWith(step) - bins * step * 1000, until: endWith(step) };
}

/** Histogram of evictions as one SVG path. */
function renderChart(evictions: readonly LastEviction[], { since, until }: Pick<Timeline, 'since' | 'until'>) {
  const span = Math.max(1, (until - since) / bins);
  const counts = new Array<number>(bins).fill(0);
  for (const { at } of evictions) {
    const bin = bins - 1 - Math.floor((until - at) / span);
    if (bin >= 0 && bin < bins) counts[bin] = (counts[bin] ?? 0) + 1;
  }
  const most = Math.max(...counts);
  if (most === 0) return markup``;
  const bars = counts.flatMap((count, i) =>
    count === 0 ? [] : `M${i * 10} 100h8v-${Math.max(2, Math.round((96 * count) / most))}h-8z`,
  );
  const text = `Evictions in each ${durationText(span)} from ${dateText(since)} to ${dateText(until)} UTC, ${numberText(most)} at most`;
  return markup`<figure class="panel"><svg class="timeline" role="img" aria-label="${text}" viewBox="0 0 ${bins * 10} 100" preserveAspectRatio="none" width="100%" height="72"><path class="deletes" d="${bars.join('')}"/></svg><figcaption>${text}.</figcaption></figure>`;
}

/** `2026-11-21T14:03`, the value of a datetime-local input; with seconds if they are not 0. */
function fieldText(written: string): string {
  return written.replace(/Z$/, '').replace(/(T\d\d:\d\d):00$/, '$1');
}

/** `2026-11-21 14:03`. */
function dateText(at: Instant): string {
  return formatInstant(at).slice(0, 16).replace('T', ' ');
}

const columnsAt = (now: Instant) => [
  {
    name: 'Pod',
    of: ({ pod }: LastEviction) => podLink(pod),
  },
  { name: 'Time, UTC', of: ({ at }: LastEviction) => markup`<time>${timeText(at, now)}</time>` },
  { name: 'Node', of: ({ node }: LastEviction) => node ?? '–' },
  { name: 'Why', of: ({ source, taint }: LastEviction) => markup`${source} <code>${taint}</code>` },
  { name: 'Device', of: ({ device }: LastEviction) => markup`<span class="device">${device}</span>` },
  { name: 'Outcome', of: ({ outcome }: LastEviction) => outcome },
];
