// Planned evictions of dry-run and held rules: number of pods, duration, exceeded budgets and the first pods.
import { sourceOf } from '../decide/planReport.ts';
import type { BudgetedPod, PlanSummary } from '../model/plan.ts';
import { type PodName, plainPodName } from './lists.ts';
import { type Markup, markup } from './markup.ts';
import type { ClusterProgress, PlanProgress } from './progress.ts';
import { clockText, countText, numberText, pausedText, planTimeText } from './words.ts';

/** Maximum rules in the list by default, and pods per rule. */
const rulesShown = 5;
const podsShown = 5;

export function renderPlans(
  { plans }: ClusterProgress,
  by: { readonly podName?: PodName; readonly most?: number } = {},
): Markup | undefined {
  if (plans.length === 0) return undefined;
  const { podName = plainPodName, most = rulesShown } = by;
  const rest = plans.length - most;
  return markup`<section class="panel" aria-labelledby="plans"><h2 id="plans">Planned evictions (dry run and held rules)</h2>
${plans.slice(0, most).map((one) => renderPlan(one, podName))}${rest > 0 && markup`<p class="more">and ${countText(rest, 'more rule')}</p>`}</section>`;
}

function renderPlan({ rule, at, summary, first }: PlanProgress, podName: PodName): Markup {
  const left = summary.pods - Math.min(first.length, podsShown);
  return markup`<h3>${rule}</h3><p>${summaryText(summary)} As of ${clockText(at)} UTC.</p>${
    first.length > 0 &&
    markup`<table><thead><tr><th scope="col">Pod</th><th scope="col">Owner</th><th scope="col" class="number">Priority</th><th scope="col">Budget</th><th scope="col">Claims and devices</th></tr></thead><tbody>
${first.slice(0, podsShown).map((one) => planRow(one, podName))}</tbody></table>${left > 0 && markup`<p class="more">and ${countText(left, 'more pod')}</p>`}`
  }`;
}

export function summaryText(summary: PlanSummary): string {
  const { pods, namespaces, beyondBudgets, unbudgeted, free, undecided, paused = 0 } = summary;
  return [
    `${countText(pods, 'pod')} in ${countText(namespaces, 'namespace')} would be evicted${pods > 0 ? planTimeText(summary) : ''}.`,
    ...(paused > 0 ? [`${pausedText(paused)}.`] : []),
    ...(beyondBudgets > 0
      ? [
          `${numberText(beyondBudgets)} beyond what disruption budgets allow: in mode Evict these wait, and it takes longer.`,
        ]
      : []),
    ...(unbudgeted > 0 ? [`The budgets of ${countText(unbudgeted, 'pod')} could not be read.`] : []),
    ...free.map((one) => `${countText(one.free, 'free device')} of ${sourceOf(one)} without a taint.`),
    ...(undecided > 0 ? [`${countText(undecided, 'pod')} cannot be decided and would be kept.`] : []),
  ].join(' ');
}

function planRow({ pod, owner, priority, headroom, claims }: BudgetedPod, podName: PodName): Markup {
  const devices = claims.flatMap(({ name, devices: held }) =>
    held.map(({ driver, pool, device }) => `${name}: ${driver}/${pool}/${device}`),
  );
  return markup`<tr><th scope="row" data-label="Pod">${podName(pod)}</th><td data-label="Owner">${owner ? `${owner.kind} ${owner.name}` : 'none'}</td><td data-label="Priority" class="number">${priority ?? '–'}</td><td data-label="Budget">${budgetText(headroom)}</td><td data-label="Claims and devices" class="device">${devices.join(', ')}</td></tr>`;
}

export function budgetText(headroom: BudgetedPod['headroom']): string {
  switch (headroom.kind) {
    case 'None':
      return 'none';
    case 'Budget':
      return `${headroom.name} allows ${numberText(headroom.allowed)}`;
    case 'Unknown':
      return 'unknown';
    default:
      return headroom satisfies never;
  }
}
