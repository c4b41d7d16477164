// Page of one rule's plan: summary, and a searchable, paged table of pods with owners, budgets and devices.
import type { BudgetedPod, PlanSummary } from '../../model/plan.ts';
import { markup } from '../markup.ts';
import { budgetText, summaryText } from '../plans.ts';
import { countText } from '../words.ts';
import type { ConsolePage } from './page.ts';
import {
  hasText,
  pageOf,
  planHref,
  renderFilters,
  renderFold,
  renderPager,
  renderTable,
  whyHref,
  withQuery,
} from './parts.ts';

export interface PlanOfRule {
  /** `PacedTaintRule/a`, or `taint/DRIVER/KEY=VALUE:EFFECT`. */
  readonly ref: string;
  /** Taints with their rates. */
  readonly taints: readonly string[];
  readonly summary: PlanSummary;
  /** Who approved which plan, and when; absent if none is approved. */
  readonly approval?: string | undefined;
  /** In eviction order. */
  readonly pods: readonly BudgetedPod[];
}

const podsOnPage = 50;

export function planPage(
  { ref, taints, summary, approval, pods }: PlanOfRule,
  query: { readonly search: string; readonly page: number },
): ConsolePage {
  const found = query.search === '' ? pods : pods.filter((pod) => hasText(textOf(pod), query.search));
  const page = pageOf(found, { number: query.page, size: podsOnPage });
  const href = (number: number) => withQuery(planHref(ref), { q: query.search, page: number });
  return {
    title: `Plan of ${ref.replace('taint/', 'taint ')}`,
    regions: [
      {
        id: 'summary',
        html: markup`<section class="panel" aria-label="Summary">${taints.map((one) => markup`<p><code>${one}</code></p>`)}<p>${summaryText(summary)}</p>${approval !== undefined && markup`<p class="more">${approval}</p>`}</section>`,
      },
      {
        id: 'filters',
        html: renderFilters(planHref(ref), [
          { name: 'q', label: 'Pod, owner, node or device contains', value: query.search },
        ]),
      },
      {
        id: 'pods',
        html: markup`<section class="panel" aria-label="Pods"><h2>${countText(found.length, 'pod')}</h2>${found.length === 0 && query.search !== '' && markup`<p class="more">No pod matches.</p>`}${page.items.length > 0 && renderFold({ id: 'all-pods', shown: 2, count: page.items.length, what: `all ${page.items.length} of this page` }, renderTable(columns, page.items, `Pods of the plan of ${ref}`))}${renderPager(page, href)}</section>`,
      },
    ],
  };
}

function devicesOf({ claims }: BudgetedPod): string {
  return claims
    .flatMap(({ devices }) => devices.map(({ driver, pool, device }) => `${driver}/${pool}/${device}`))
    .join(', ');
}

function ownerOf({ owner }: BudgetedPod): string {
  return owner ? `${owner.kind}/${owner.name}` : 'none';
}

function textOf(one: BudgetedPod): string {
  return `${one.pod.namespace}/${one.pod.name} ${ownerOf(one)} ${one.node} ${devicesOf(one)}`;
}

const columns = [
  {
    name: 'Pod',
    of: ({ pod }: BudgetedPod) =>
      markup`<a href="${whyHref('pod', `${pod.namespace}/${pod.name}`)}">${pod.namespace}/${pod.name}</a>`,
  },
  { name: 'Owner', of: ownerOf },
  { name: 'Node', of: ({ node }: BudgetedPod) => node },
  { name: 'Priority', of: ({ priority }: BudgetedPod) => priority ?? '–' },
  { name: 'Budget', of: ({ headroom }: BudgetedPod) => budgetText(headroom) },
  { name: 'Devices', of: (one: BudgetedPod) => markup`<span class="device">${devicesOf(one)}</span>` },
];
