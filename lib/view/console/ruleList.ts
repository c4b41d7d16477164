// Rules of a cluster in a list, most urgent first: a region per rule, so that an update sends only the rules that changed.
import { type Markup, markup } from '../markup.ts';
import type { ClusterProgress, LimiterProgress } from '../progress.ts';
import { isMoving, stateWord } from '../stateLabel.ts';
import { clockText, countText, numberText, percentDone } from '../words.ts';
import type { Region } from './page.ts';
import { hasText, pageOf, renderFilters, renderPager, ruleName, whyHref, withQuery } from './parts.ts';
import type { RuleRow } from './ruleTools.ts';

/** Most urgent first. `other`: completed, stopped, planned, or without pods. */
export const standings = ['held', 'evicting', 'waiting', 'other'] as const;
export type Standing = (typeof standings)[number];

export interface RulesQuery {
  readonly search: string;
  readonly page: number;
  /** Only rules in this state; absent: all. */
  readonly standing?: Standing;
  /** `id` of the only rule whose card is shown. */
  readonly open?: string;
}

/** A rule of the cluster, or what the state table knows of a deleted rule or of a slice taint. */
export interface ListedRule {
  /** `Kind/NAME`, or the limiter. */
  readonly id: string;
  readonly row?: RuleRow;
  readonly name: Markup;
  readonly taint: string;
  readonly devices: string;
  readonly state: string;
  readonly message: string;
  readonly standing: Standing;
  /** One per taint; empty without a state table. */
  readonly limiters: readonly LimiterProgress[];
}

export function listRules(progress: ClusterProgress | undefined, rows: readonly RuleRow[]): readonly ListedRule[] {
  const byId = new Map((progress?.limiters ?? []).map((one) => [one.limiter as string, one]));
  const written = rows.map((row): ListedRule => {
    const limiters = row.limiters.flatMap((one) => byId.get(one) ?? []);
    for (const { limiter } of limiters) byId.delete(limiter);
    const now = stateNow(row, limiters);
    const standing = row.waitsForApproval || row.pauses.length > 0 ? 'held' : standingOf(now.state);
    const name = markup`<a href="${whyHref('rule', row.ref)}">${ruleName(row.ref)}</a>`;
    return { id: row.ref, row, name, taint: row.taint, devices: row.devices, ...now, standing, limiters };
  });
  const others = [...byId.values()].map((one): ListedRule => {
    const { limiter, name, taint, place, selector, heldBecause } = one;
    const state = stateWord(one);
    const message = heldBecause === undefined ? '' : `${heldBecause}.`;
    const shown = {
      name: markup`${name}`,
      taint,
      devices: selector === '' ? `in ${place}` : `in ${place}, on ${selector}`,
      state,
      message,
    };
    return { id: limiter, ...shown, standing: standingOf(state), limiters: [one] };
  });
  const place = new Map((progress?.limiters ?? []).map(({ limiter }, i) => [limiter, i]));
  const placeOf = ({ limiters }: ListedRule) =>
    Math.min(...limiters.map(({ limiter }) => place.get(limiter) ?? place.size), place.size);
  return [...written, ...others].toSorted(
    (a, b) => standings.indexOf(a.standing) - standings.indexOf(b.standing) || placeOf(a) - placeOf(b),
  );
}

/** The state table is ahead of the conditions, and its state is the one that the cards of the same page show. */
function stateNow(
  { state, message, pauses }: RuleRow,
  own: readonly LimiterProgress[],
): { readonly state: string; readonly message: string } {
  const shown = own.find(isMoving) ?? (state === 'Evicting' ? own[0] : undefined);
  // A pause is on the rule some seconds before its condition.
  if (!shown) return { state: state === '' && pauses.length > 0 ? 'Paused' : state, message };
  const isHeld = shown.heldBecause !== undefined;
  if (isHeld && (state.startsWith('Held') || state === 'Paused')) return { state, message };
  return { state: stateWord(shown), message: isHeld ? `${shown.heldBecause}.` : '' };
}

function standingOf(state: string): Standing {
  if (state.startsWith('Held') || state === 'Paused') return 'held';
  if (state === 'Evicting' || state === 'Evaluating') return 'evicting';
  return state === 'Waiting' ? 'waiting' : 'other';
}

const rulesOnPage = 20;
/** Fewer rules need no filter. */
const unfiltered = 8;

export function ruleRegions(
  rules: readonly ListedRule[],
  query: RulesQuery,
  by: {
    readonly hasCard: ReadonlySet<string>;
    readonly toolsOf: (rule: ListedRule) => Markup | undefined;
  },
): readonly Region[] {
  if (rules.length === 0) return [];
  const found = rules.filter(
    ({ id, taint, standing }) =>
      (hasText(id, query.search) || hasText(taint, query.search)) &&
      (query.standing === undefined || standing === query.standing),
  );
  const page = pageOf(found, { number: query.page, size: rulesOnPage });
  const { search: q, standing: state } = query;
  const href = (number: number) => withQuery('/rules', { q, state, page: number });
  return [
    { id: 'rules-filter', html: renderHead(rules, query) },
    ...page.items.map((one) => ({
      id: `rule-${one.id}`,
      html: renderRule(one, { hasCard: by.hasCard.has(one.id), tools: by.toolsOf(one) }),
    })),
    {
      id: 'rules-end',
      html: markup`${page.items.length === 0 && markup`<p class="more">No rule matches.</p>`}<label class="button unfold"><input type="checkbox" name="all-rules" autocomplete="off">Show ${countText(page.items.length, 'rule')} of ${page.pages > 1 ? 'this page' : 'the cluster'}</label>${renderPager(page, href)}`,
    },
  ];
}

function renderHead(rules: readonly ListedRule[], { search, standing }: RulesQuery): Markup {
  const counts = standings.flatMap((one) => {
    const count = rules.filter((rule) => rule.standing === one).length;
    return count === 0 ? [] : [`${numberText(count)} ${one}`];
  });
  const filters = [
    { name: 'q', label: 'Rule or taint contains', value: search },
    { name: 'state', label: 'State', value: standing ?? 'all', choices: ['all', ...standings] },
  ];
  return markup`<h2>Rules of the cluster</h2>${rules.length > unfiltered && markup`<p class="more">${countText(rules.length, 'rule')}: ${counts.join(', ')}.</p>${renderFilters('/rules', filters)}`}`;
}

function renderRule(
  { id, row, name, taint, devices, state, message, standing, limiters }: ListedRule,
  by: { readonly hasCard: boolean; readonly tools: Markup | undefined },
): Markup {
  const open =
    !by.hasCard &&
    limiters.some(isMoving) &&
    markup` <a href="${withQuery('/rules', { open: id })}">Progress<span class="unseen"> of ${id}</span></a>`;
  return markup`<article class="panel rule"><div><h3>${name}</h3><p class="on"><code>${taint}</code> ${devices}</p></div><p class="state"><b class="badge is-${standing}">${state || '–'}</b>${message !== '' && markup` <small>${message}</small>`}${row?.approval !== undefined && markup` <small>${row.approval}</small>`}</p><div><p class="count">${countsOf(limiters)}${open}</p>${by.tools}</div></article>`;
}

/** Of the taint with pods to go, or of the first one. The end is a time of day, which changes seldom, while the time left always does. */
function countsOf(limiters: readonly LimiterProgress[]): Markup | undefined {
  const shown = limiters.find(isMoving) ?? limiters[0];
  if (!shown || (shown.total === 0 && shown.counts.evicted === 0)) return undefined;
  const { counts, total, isPartial, kept = 0, finishAt, lastEvictionAt } = shown;
  const notes = [
    kept > 0 ? `${numberText(kept)} kept` : [],
    finishAt === undefined ? [] : `until about ${clockText(finishAt).slice(0, 5)} UTC`,
    isMoving(shown) || lastEvictionAt === undefined ? [] : `the last at ${clockText(lastEvictionAt)} UTC`,
    limiters.length > 1 ? `one of ${limiters.length} taints` : [],
  ].flat();
  const evicted = `${numberText(counts.evicted)} of ${isPartial ? 'more than ' : ''}${countText(total, 'pod')} evicted`;
  return markup`<b>${percentDone(counts.evicted, total)} %</b> ${evicted}${notes.length > 0 && markup` <small>${notes.join(', ')}</small>`}`;
}
