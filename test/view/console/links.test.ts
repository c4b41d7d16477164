// Links between pages of the console, and what a page shows before a reader makes a choice.
import { expect, it } from 'vitest';
import { rulesPage } from '../../../lib/view/console/rulesPage.ts';
import { timelinePage } from '../../../lib/view/console/timelinePage.ts';
import { whyPage } from '../../../lib/view/console/whyPage.ts';
import { renderWidget } from '../../../lib/view/html.ts';
import { htmlOf } from '../../../lib/view/markup.ts';
import { anEviction, aPicture, at } from '../pictures.ts';

const htmlOfAll = ({ regions }: ReturnType<typeof whyPage>) => regions.map(({ html }) => htmlOf(html)).join('\n');
const went = (name: string, ago: number) => anEviction({ pod: { namespace: 'ml', name, uid: name }, at: at - ago });

it('each eviction and each planned pod of the page Rules links to its page Why, and the widget has no links', () => {
  const progress = aPicture({ last: [went('a', 0)] });
  const page = htmlOfAll(
    rulesPage({ progress, rules: [], slices: [], may: () => true, isRead: true }, { search: '', page: 1 }),
  );
  expect(page).toContain('href="/why/pod/ml/a"');
  expect(page).toContain('href="/why/pod/team-a/train-0"');
  expect(renderWidget(progress)).not.toContain('<a ');
});

it('the page Why offers the last evicted pods and the rules until a name is given', () => {
  const offered = { pods: [{ namespace: 'ml', name: 'a' }], rules: ['PacedTaintRule/old driver'] };
  const page = htmlOfAll(whyPage({ kind: 'pod', name: '' }, [], offered));
  expect(page).toContain('href="/why/pod/ml/a"');
  expect(page).toContain('href="/why/rule/PacedTaintRule/old%20driver"');
  expect(htmlOfAll(whyPage({ kind: 'pod', name: 'ml/b' }, []))).not.toContain('/why/pod/ml/a');
});

const query = { rule: '', node: '', team: '', page: 1, from: '', until: '' };
const day = { since: at - 86_400_000, until: at, now: at };
const barsOf = (page: string) => (/class="deletes" d="([^"]*)"/.exec(page)?.[1] ?? '').split('M').length - 1;

it('the chart of the page Timeline begins with the first eviction, or at the time that the reader gives', () => {
  const evictions = [went('c', 10_000), went('b', 120_000), went('a', 480_000)];
  expect(barsOf(htmlOfAll(timelinePage({ evictions, ...day }, query)))).toBe(3);
  const from = new Date(day.since).toISOString();
  expect(barsOf(htmlOfAll(timelinePage({ evictions, ...day }, { ...query, from })))).toBe(1);
});

it('a bar of the past on the page Timeline stays the same with time', () => {
  const evictions = Array.from({ length: 40 }, (_, i) => went(`pod-${i}`, i * 3000));
  const peakAt = (now: number) => {
    const page = htmlOfAll(timelinePage({ evictions, since: now - 86_400_000, until: now, now }, query));
    return [/Evictions in each (\S+ \S+)/.exec(page)?.[1], /([\d,]+) at most/.exec(page)?.[1]];
  };
  for (let later = 0; later < 60_000; later += 700) expect(peakAt(at + later)).toEqual(['10 s', '4']);
});

it('a filter finds names whether it is written in capitals or not', () => {
  const evictions = [went('a', 10_000)];
  for (const node of ['node-1', 'NODE-1', 'Node']) {
    expect(htmlOfAll(timelinePage({ evictions, ...day }, { ...query, node }))).toContain('1 eviction ');
  }
  expect(htmlOfAll(timelinePage({ evictions, ...day }, { ...query, node: 'node-2' }))).toContain(
    'No eviction matches.',
  );
});
