// Rules page: progress, rate and actions of each active rule, plans of held rules, and all rules of the cluster.
import { renderEmpty, renderRefused, renderTiles } from '../html.ts';
import { renderLimiterCard } from '../limiterCard.ts';
import { renderFinished, renderLastEvictions } from '../lists.ts';
import { type Markup, markup } from '../markup.ts';
import { renderPlans } from '../plans.ts';
import type { ClusterProgress, LimiterProgress } from '../progress.ts';
import { isMoving, stateWord } from '../stateLabel.ts';
import { countText } from '../words.ts';
import type { May } from './act.ts';
import type { ConsolePage, Region } from './page.ts';
import {
  pageOf,
  podLink,
  renderFilters,
  renderFold,
  renderPager,
  renderTable,
  ruleName,
  whyHref,
  withQuery,
} from './parts.ts';
import { type RuleRow, renderRuleTools, renderSliceTools, type SliceRow } from './ruleTools.ts';

export interface RulesQuery {
  readonly search: string;
  readonly page: number;
}

const cardsShown = 24;
const rulesOnPage = 50;

export interface RulesPage {
  readonly progress: ClusterProgress | undefined;
  readonly rules: readonly RuleRow[];
  /** Those that evict or hold pods now. */
  readonly slices: readonly SliceRow[];
  readonly may: May;
}

export function rulesPage(by: RulesPage, query: RulesQuery): ConsolePage {
  const { progress } = by;
  return {
    title: 'Rules',
    tab: 'rules',
    regions: [...(progress ? progressRegions(progress, by) : []), ...tableRegions(by, query)],
  };
}

function progressRegions(progress: ClusterProgress, { rules, slices, may }: RulesPage): readonly Region[] {
  const moving = progress.limiters.filter(isMoving);
  const rest = moving.length - cardsShown;
  const card = (one: LimiterProgress) =>
    renderLimiterCard(
      one,
      progress.at,
      renderRuleTools(
        rules.find(({ limiters }) => limiters.includes(one.limiter)),
        may,
      ) ??
        renderSliceTools(
          slices.find(({ limiter }) => limiter === one.limiter),
          may,
        ),
    );
  const cards = markup`<section aria-label="Evictions in progress" class="cards">${moving.slice(0, cardsShown).map(card)}</section>${rest > 0 && markup`<p class="more">and ${rest} more rules with pods</p>`}`;
  const others = progress.limiters.filter((one) => !isMoving(one));
  const fold = (
    id: string,
    html: Markup | undefined,
    by: Pick<Parameters<typeof renderFold>[0], 'shown' | 'count' | 'what'>,
  ) => ({
    id,
    html: html ? renderFold({ id: `all-${id}`, ...by }, html) : markup``,
  });
  return [
    { id: 'refused', html: renderRefused(progress) ?? markup`` },
    { id: 'tiles', html: renderTiles(progress, 'total') },
    moving.length > 0
      ? fold('cards', cards, {
          shown: moving.length > 2 ? 1 : 2,
          count: moving.length,
          what: `${moving.length} rules at work`,
        })
      : { id: 'cards', html: renderEmpty(progress) },
    fold('plans', renderPlans(progress, podLink), {
      shown: 0,
      count: progress.plans.length,
      what: countText(progress.plans.length, 'plan'),
    }),
    fold('finished', renderFinished(others), {
      shown: 0,
      count: others.length,
      what: countText(others.length, 'other rule'),
    }),
    fold('last', renderLastEvictions(progress, podLink), {
      shown: 2,
      count: progress.last.length,
      what: 'more evictions',
    }),
  ];
}

function tableRegions({ progress, rules, may }: RulesPage, query: RulesQuery): readonly Region[] {
  if (rules.length === 0) return [];
  const found = rules.filter(({ ref, taint }) => ref.includes(query.search) || taint.includes(query.search));
  const page = pageOf(found, { number: query.page, size: rulesOnPage });
  const columns = [
    { name: 'Rule', of: ({ ref }: RuleRow) => markup`<a href="${whyHref('rule', ref)}">${ruleName(ref)}</a>` },
    { name: 'Taint', of: ({ taint }: RuleRow) => markup`<code>${taint}</code>` },
    { name: 'Devices', of: ({ devices }: RuleRow) => devices },
    {
      name: 'State',
      of: (rule: RuleRow) => {
        const { state, message } = stateNow(rule, progress);
        return markup`<b>${state || '–'}</b>${message !== '' && markup` <small>${message}</small>`}`;
      },
    },
    { name: 'Actions', of: (rule: RuleRow) => renderRuleTools(rule, may) },
  ];
  const href = (number: number) => withQuery('/rules', { q: query.search, page: number });
  return [
    {
      id: 'rules-filter',
      html: markup`<h2>Rules of the cluster</h2>${rules.length > 8 && renderFilters('/rules', [{ name: 'q', label: 'Rule or taint contains', value: query.search }])}`,
    },
    {
      id: 'rules',
      html: renderFold(
        {
          id: 'all-rules',
          shown: progress?.limiters.some(isMoving) ? 0 : 4,
          count: page.items.length,
          what: `${countText(page.items.length, 'rule')} of the cluster`,
        },
        markup`<section class="panel" aria-label="Rules of the cluster">${renderTable(columns, page.items, 'Rules of the cluster')}${renderPager(page, href)}</section>`,
      ),
    },
  ];
}

/** The state table is ahead of the conditions, and its state is the one that the cards of the same page show. */
function stateNow(
  { state, message, limiters }: RuleRow,
  progress: ClusterProgress | undefined,
): { readonly state: string; readonly message: string } {
  const own = progress?.limiters.filter((one) => limiters.includes(one.limiter)) ?? [];
  const shown = own.find(isMoving) ?? (state === 'Evicting' ? own[0] : undefined);
  if (!shown) return { state, message };
  const isHeld = shown.heldBecause !== undefined;
  if (isHeld && (state.startsWith('Held') || state === 'Paused')) return { state, message };
  return { state: stateWord(shown), message: isHeld ? `${shown.heldBecause}.` : '' };
}
