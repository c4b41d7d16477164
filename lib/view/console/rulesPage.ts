// Rules page: progress, rate and actions of the most urgent rules, plans of held rules, and a list of all rules.
import { renderEmpty, renderRefused, renderTiles } from '../html.ts';
import { renderLimiterCard } from '../limiterCard.ts';
import { renderLastEvictions } from '../lists.ts';
import { type Markup, markup } from '../markup.ts';
import { renderPlans } from '../plans.ts';
import type { ClusterProgress, LimiterProgress } from '../progress.ts';
import { isMoving } from '../stateLabel.ts';
import { countText } from '../words.ts';
import type { May } from './act.ts';
import type { ConsolePage, Region } from './page.ts';
import { podLink, renderFold } from './parts.ts';
import { type ListedRule, listRules, type RulesQuery, ruleRegions } from './ruleList.ts';
import { type RuleRow, renderRuleTools, renderSliceTools, type SliceRow } from './ruleTools.ts';

/** Cards at the top; every other rule has a row that opens its card. */
const cardsShown = 4;
const plansShown = 2;

export interface RulesPage {
  readonly progress: ClusterProgress | undefined;
  readonly rules: readonly RuleRow[];
  /** Those that evict or hold pods now. */
  readonly slices: readonly SliceRow[];
  readonly may: May;
  /** The conditions count pods that `progress` does not have yet. */
  readonly isCounting?: boolean;
  /** Whether the rules were read from the API server; without a kubeconfig, those of `progress` are all. */
  readonly isRead: boolean;
}

export function rulesPage(of: RulesPage, query: RulesQuery): ConsolePage {
  const { progress, rules, slices, may, isCounting = false } = of;
  const listed = listRules(progress, rules);
  const isList = query.search !== '' || query.standing !== undefined || query.page > 1;
  const cards = isList ? [] : cardsOf(listed, query);
  const hasCard = new Set(cards.map(({ rule }) => rule.id));
  const toolsOf = ({ id, row }: ListedRule) =>
    row
      ? renderRuleTools(row, may)
      : renderSliceTools(
          slices.find(({ limiter }) => limiter === id),
          may,
        );
  // A reader who filters or turns pages wants the list.
  const shown = progress && !isList ? progressRegions(progress, { cards, listed, query, toolsOf, isCounting }) : [];
  const regions = [...shown, ...ruleRegions(listed, query, { hasCard, toolsOf })];
  return { title: 'Rules', tab: 'rules', regions: regions.length > 0 ? regions : [noRules(of.isRead)] };
}

/** Without progress, nothing else would be on the page. */
function noRules(isRead: boolean): Region {
  const html = isRead
    ? markup`<section class="empty"><h2>There are no rules</h2><p>What taints in slices evict or hold is on the page <a href="/fleet">Fleet</a>.</p></section>`
    : markup`<section class="empty"><h2>Rules are not known</h2><p>Neither the cluster nor its state table was read.</p></section>`;
  return { id: 'no-rules', html };
}

interface Card {
  readonly rule: ListedRule;
  readonly limiter: LimiterProgress;
}

function cardsOf(listed: readonly ListedRule[], { open }: RulesQuery): readonly Card[] {
  const opened = listed.filter(({ id }) => id === open).flatMap(cardsOfRule);
  if (opened.length > 0) return opened;
  return moving(listed).slice(0, cardsShown);
}

function cardsOfRule(rule: ListedRule): readonly Card[] {
  return rule.limiters.map((limiter) => ({ rule, limiter }));
}

function moving(listed: readonly ListedRule[]): readonly Card[] {
  return listed.flatMap(cardsOfRule).filter(({ limiter }) => isMoving(limiter));
}

function progressRegions(
  progress: ClusterProgress,
  by: {
    readonly cards: readonly Card[];
    readonly listed: readonly ListedRule[];
    readonly query: RulesQuery;
    readonly toolsOf: (rule: ListedRule) => Markup | undefined;
    readonly isCounting: boolean;
  },
): readonly Region[] {
  const { cards, listed, query, toolsOf, isCounting } = by;
  const rest = moving(listed).length - cards.length;
  const html = markup`<section aria-label="Evictions in progress" class="cards">${cards.map(({ rule, limiter }) => renderLimiterCard(limiter, progress.at, toolsOf(rule)))}</section>`;
  const isOpened = cards.some(({ rule }) => rule.id === query.open);
  const back = isOpened && markup`<p class="more"><a href="/rules">All rules at work</a></p>`;
  const more =
    !isOpened &&
    rest > 0 &&
    markup`<p class="more">and ${countText(rest, 'more rule')} with pods <a href="#r-rules-filter">in the list below</a></p>`;
  const { plans, last } = progress;
  return [
    { id: 'refused', html: renderRefused(progress) ?? markup`` },
    { id: 'tiles', html: renderTiles(progress, { by: 'total', isCounting }) },
    {
      id: 'cards',
      html:
        cards.length === 0
          ? renderEmpty(progress, isCounting)
          : markup`${back}${renderFold({ id: 'all-cards', shown: 1, count: cards.length, what: `${cards.length} rules at work` }, html)}${more}`,
    },
    foldOf('plans', renderPlans(progress, { podName: podLink, most: plansShown }), {
      shown: 0,
      count: plans.length,
      what: countText(plans.length, 'plan'),
    }),
    foldOf('last', renderLastEvictions(progress, podLink), { shown: 2, count: last.length, what: 'more evictions' }),
  ];
}

function foldOf(id: string, html: Markup | undefined, by: Omit<Parameters<typeof renderFold>[0], 'id'>): Region {
  return { id, html: html ? renderFold({ id: `all-${id}`, ...by }, html) : markup`` };
}
