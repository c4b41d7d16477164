// Parts shared by console pages: links to actions, paging, filters and tables.
import { plainPodName } from '../lists.ts';
import { type Markup, markup } from '../markup.ts';
import { type ActionRequest, hrefOf, type May } from './act.ts';

const labels: Readonly<Record<ActionRequest['action'], string>> = {
  pause: 'Pause',
  resume: 'Resume',
  approve: 'Approve',
  rate: 'Rate',
  taint: 'Taint',
  untaint: 'Untaint',
  remove: 'Remove',
};

/** Only actions for which the user has the right. */
export function renderTools(requests: readonly ActionRequest[], may: May, subject: string): readonly Markup[] {
  return requests
    .filter(may)
    .map(
      (one) =>
        markup`<a class="button" href="${hrefOf(one)}">${labels[one.action]}<span class="unseen"> ${subject}</span></a>`,
    );
}

/** `/fleet?by=node&page=2`; empty values are left out. */
export function withQuery(path: string, query: Readonly<Record<string, string | number | undefined>>): string {
  const entries = Object.entries(query).flatMap(([key, value]) =>
    value === undefined || value === '' ? [] : [[key, String(value)] as [string, string]],
  );
  return entries.length === 0 ? path : `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams(entries)}`;
}

export function renderPager(
  of: { readonly number: number; readonly pages: number },
  href: (page: number) => string,
): Markup | undefined {
  const { number, pages } = of;
  if (pages <= 1) return undefined;
  return markup`<nav class="pager" aria-label="Pages of the list">${number > 1 && markup`<a class="button" rel="prev" href="${href(number - 1)}">Previous</a>`}<span>page ${number} of ${pages}</span>${number < pages && markup`<a class="button" rel="next" href="${href(number + 1)}">Next</a>`}</nav>`;
}

export interface Filter {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly choices?: readonly string[];
  /** Input type of a field without choices; default `search`. */
  readonly type?: 'search' | 'datetime-local';
}

/** A GET form that changes the query; `hidden`: parameters to keep. */
export function renderFilters(
  path: string,
  filters: readonly Filter[],
  hidden: Readonly<Record<string, string>> = {},
): Markup {
  return markup`<form class="filters" action="${path}" method="get" role="search">${Object.entries(hidden).map(([name, value]) => value !== '' && markup`<input type="hidden" name="${name}" value="${value}">`)}${filters.map(renderFilter)}<button type="submit">Show</button></form>`;
}

function renderFilter({ name, label, value, choices, type = 'search' }: Filter): Markup {
  if (!choices)
    return markup`<label>${label}<input type="${type}" name="${name}" value="${value}"${type !== 'search' && markup` step="1"`} autocomplete="off"></label>`;
  return markup`<label>${label}<select name="${name}">${choices.map((one) => markup`<option value="${one}"${one === value && markup` selected`}>${one}</option>`)}</select></label>`;
}

export interface TableColumn<T> {
  readonly name: string;
  readonly of: (item: T) => Markup | string | number | undefined;
}

/** The first column is the row header. */
export function renderTable<T>(
  columns: readonly TableColumn<T>[],
  items: readonly T[],
  caption: string,
  look?: 'evictions',
): Markup {
  const row = (item: T) =>
    markup`<tr>${columns.map(({ name, of }, i) => (i === 0 ? markup`<th scope="row" data-label="${name}">${of(item)}</th>` : markup`<td data-label="${name}">${of(item)}</td>`))}</tr>`;
  return markup`<table${look && markup` class="${look}"`}><caption class="unseen">${caption}</caption><thead><tr>${columns.map(({ name }) => markup`<th scope="col">${name}</th>`)}</tr></thead><tbody>${items.map(row)}</tbody></table>`;
}

/** Encodes each path segment; slashes in the name remain separators. */
export function whyHref(kind: 'pod' | 'rule' | 'device' | 'taint', name: string): string {
  return `/why/${kind}/${name.split('/').map(encodeURIComponent).join('/')}`;
}

/** Pod name as a link to its Why page. */
export function podLink({ namespace, name }: { readonly namespace: string; readonly name: string }): Markup {
  return markup`<a href="${whyHref('pod', `${namespace}/${name}`)}">${plainPodName({ namespace, name })}</a>`;
}

/** `Kind/NAME`; a line may break after the slash, but not within the kind. */
export function ruleName(ref: string): Markup {
  const [kind, ...name] = ref.split('/');
  return markup`<span class="kind">${kind}/</span><wbr>${name.join('/')}`;
}

export function planHref(rule: string): string {
  return `/plan/${rule.split('/').map(encodeURIComponent).join('/')}`;
}

/** One page of a list; a number beyond the last page gives the last page. */
export function pageOf<T>(items: readonly T[], by: { readonly number: number; readonly size: number }) {
  const pages = Math.max(1, Math.ceil(items.length / by.size));
  const number = Math.min(Math.max(1, by.number), pages);
  return { items: items.slice((number - 1) * by.size, number * by.size), number, pages };
}

/** On a phone, shows only the first `shown` rows, cards, groups, paragraphs or notices until expanded; on wider screens, all of them. */
export function renderFold(
  by: { readonly id: string; readonly shown: 0 | 1 | 2 | 4; readonly count: number; readonly what: string },
  html: Markup,
): Markup {
  const { id, shown, count, what } = by;
  if (count <= shown) return html;
  return markup`<div class="fold fold-${shown}">${html}<label class="button unfold"><input type="checkbox" name="${id}" autocomplete="off">Show ${what}</label></div>`;
}

/** Whether a text has what a filter asks for, in capitals or not. */
export function hasText(text: string, wanted: string): boolean {
  return text.toLowerCase().includes(wanted.toLowerCase());
}
