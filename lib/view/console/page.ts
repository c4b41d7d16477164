// Console page as regions, of which only changed ones are sent again, and the frame shared by all pages.
import { type Instant, parseInstant } from '../../model/time.ts';
import { logo } from '../logo.ts';
import { htmlOf, type Markup, markup } from '../markup.ts';
import { clockText, countText, timeText } from '../words.ts';
import { hrefOf, pauseEverything } from './act.ts';
import { renderFold } from './parts.ts';
import { consoleScript } from './script.ts';
import { consoleStyle } from './style.ts';

export interface Region {
  /** Unique within the page. */
  readonly id: string;
  readonly html: Markup;
}

export const tabs = ['fleet', 'rules', 'timeline', 'why'] as const;
export type Tab = (typeof tabs)[number];

export interface ConsolePage {
  readonly title: string;
  /** Absent for pages of one object or action. */
  readonly tab?: Tab;
  readonly regions: readonly Region[];
  /** Only its frame is updated while it is open: a form, or the result of one. */
  readonly isStill?: true;
  /** Identifies what its form is bound to; the effect of the form is updated while it is open. Absent for pages without such a form. */
  readonly boundTo?: string;
  /** HTTP status; default 200. */
  readonly status?: 400 | 403 | 404 | 409;
}

/** A reason why pods are not evicted or why a page is incomplete. */
export interface Notice {
  readonly kind: 'Paused' | 'Held' | 'Silent' | 'Unread';
  /** `PacedTaintRule bad-driver`. */
  readonly what: string;
  readonly why: string;
  readonly by?: string;
  /** RFC 3339 time. */
  readonly since?: string;
  /** Link to the action that ends it; absent if there is none or the right is missing. */
  readonly end?: { readonly label: string; readonly href: string };
  /** Command that ends it, where no button can. */
  readonly command?: string;
}

/** Content shared by all pages. */
export interface Frame {
  readonly cluster: string;
  readonly at: Instant;
  readonly health: { readonly isGood: boolean; readonly text: string };
  readonly notices: readonly Notice[];
  /** Missing rights for actions, such as `patch evictionpolicies.sluice.dev`. */
  readonly missing: readonly string[];
  /** The reader may stop the whole cluster, and it is not stopped yet. */
  readonly mayStop?: boolean;
}

const names: Readonly<Record<Tab, string>> = { fleet: 'Fleet', rules: 'Rules', timeline: 'Timeline', why: 'Why' };
const kinds: Readonly<Record<Notice['kind'], string>> = {
  Paused: 'Paused',
  Held: 'Held',
  Silent: 'Silent',
  Unread: 'Not read',
};

/** Number of notices shown before the user expands the list, and in all; further ones are only counted. */
const noticesShown = 4;
const mostNotices = 50;

/** All regions of a page, with those of the frame first and last. */
export function regionsOf(frame: Frame, page?: ConsolePage): readonly Region[] {
  return [
    { id: 'status', html: renderStatus(frame) },
    { id: 'notices', html: renderNotices(frame) },
    ...(page?.regions ?? []),
    { id: 'rights', html: renderRights(frame.missing) },
  ];
}

function renderStatus({ health, at, mayStop = false }: Frame): Markup {
  return markup`<span class="pill ${health.isGood ? 'good' : 'bad'}"><i class="dot" aria-hidden="true"></i>${health.text}</span><time class="clock">${clockText(at)} UTC</time>${mayStop && markup`<a class="button" href="${hrefOf(pauseEverything)}">Pause everything</a>`}`;
}

function renderNotices({ notices, at }: Frame): Markup {
  const rest = notices.length - mostNotices;
  const html = markup`${notices.slice(0, mostNotices).map((one) => renderNotice(one, at))}${rest > 0 && markup`<p class="notice more">and ${countText(rest, 'more notice')}</p>`}`;
  const count = notices.length;
  const fold = renderFold({ id: 'all-notices', shown: 1, count, what: `all ${count} notices` }, html);
  return count === 0 ? fold : markup`<div class="${count > noticesShown && 'many'}">${fold}</div>`;
}

function renderNotice({ kind, what, why, by, since, end, command }: Notice, now: Instant): Markup {
  const at = parseInstant(since);
  const sinceText = at === undefined ? since : `${timeText(at, now)} UTC`;
  const who = [by === undefined ? '' : `by ${by}`, sinceText === undefined ? '' : `since ${sinceText}`]
    .filter(Boolean)
    .join(', ');
  return markup`<p class="notice is-${kind.toLowerCase()}"><span><b>${kinds[kind]}: ${what}</b>${why !== '' && markup`<span class="why">${why}</span>`}${who !== '' && markup`<small>${who}</small>`}${command !== undefined && markup`<small class="command">To continue: <code>${command}</code></small>`}</span>${end && markup`<a class="button" href="${end.href}">${end.label}<span class="unseen"> ${what}</span></a>`}</p>`;
}

function renderRights(missing: readonly string[]): Markup {
  if (missing.length === 0) return markup``;
  return markup`<p class="more">Some buttons are missing because you may not: ${missing.join(', ')}.</p>`;
}

export const mainPrefix = 'r-';

/** The HTML document. Style and script are constants, so that the Content-Security-Policy can list their hashes. */
export function renderDocument(frame: Frame, page: ConsolePage): string {
  const [status, notices, ...rest] = regionsOf(frame, page);
  const rights = rest.pop();
  const html = (region: Region | undefined) => region?.html ?? markup``;
  const body = markup`<a class="skip" href="#main">Skip to the page</a>
<div class="sluice"><header><div class="brand">${logo}<div><p class="name">Sluice</p><p class="cluster">cluster <b>${frame.cluster}</b></p></div></div>
<nav aria-label="Pages">${tabs.map((tab) => markup`<a href="/${tab}"${tab === page.tab && markup` aria-current="page"`}>${names[tab]}</a>`)}</nav>
<div class="status" id="status">${html(status)}</div></header>
<div id="notices" role="status" aria-label="Notices">${html(notices)}</div>
<main id="main" tabindex="-1"${page.isStill && markup` data-live="off"`}${page.boundTo !== undefined && markup` data-bound-to="${page.boundTo}"`}><h1>${page.title}</h1>${rest.map(({ id, html: inner }) => markup`<div id="${mainPrefix}${id}" class="region">${inner}</div>`)}</main>
<footer><label class="button unfold"><input type="checkbox" name="all-text" autocomplete="off">Show long texts in full</label><div id="rights">${html(rights)}</div></footer></div>
<p id="lost" role="alert" hidden>Connection lost. Data may be stale; the console tries again.</p>`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>${htmlOf(markup`${page.title} · ${frame.cluster} · Sluice`)}</title><link rel="icon" href="data:,"><style>${consoleStyle}</style></head>
<body>${htmlOf(body)}
<script>${consoleScript}</script></body></html>
`;
}
