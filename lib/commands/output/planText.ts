// Text of a plan: taints and rates, a summary, and a table of pods or groups.
import { sourceOf } from '../../decide/planReport.ts';
import { writtenRateOf } from '../../decide/rate.ts';
import { evicts } from '../../decide/taint.ts';
import { describeTaint } from '../../decide/taintText.ts';
import type { PlanSummary } from '../../model/plan.ts';
import {
  budgetTexts,
  countText,
  durationText,
  numberText,
  pausedText,
  planTimeText,
  rateText,
} from '../../view/words.ts';
import { deviceText } from '../cluster/devices.ts';
import type { ShownPlan } from '../cluster/planning.ts';
import { budgetText, type Grouping, type GroupRow, groupsOf, ownerText, pageOf } from '../planRows.ts';
import { fittedLine } from './fitted.ts';
import { tableLines } from './table.ts';

export interface PlanLook {
  readonly by: Grouping;
  readonly page: number;
  readonly pageSize: number;
  readonly isWide: boolean;
  readonly width: number | undefined;
}

export function planLines(plan: ShownPlan, look: PlanLook): readonly string[] {
  const head = `${plan.rule}: ${plan.taints.map((one) => `${describeTaint(one.taint)} at ${rateText(writtenRateOf(one).rate)}`).join('; ')}`;
  const { lines, pages, number } = rowLines(plan, look);
  const next = number < pages ? `; next page: --page ${number + 1}` : '';
  const isDry = !plan.taints.some((one) => evicts(one.taint));
  const dry = isDry && plan.pods.length > 0 ? ['a dry run: it evicts no pod until its effect is NoExecute'] : [];
  const more = pages > 1 ? [`page ${number} of ${pages}${next}`] : [];
  const said = [head, ...dry, ...summaryLines(plan.summary), ...skippedLines(plan.skipped)];
  const width = look.isWide ? undefined : look.width;
  return [...said.flatMap((one) => fittedLine(one, { width })), ...(lines.length > 0 ? ['', ...lines] : []), ...more];
}

export function skippedLines(skipped: number): readonly string[] {
  return skipped > 0 ? [`${countText(skipped, 'pod')} would be kept, by eviction mode Skip`] : [];
}

export function summaryLines(summary: PlanSummary): readonly string[] {
  const { pods, namespaces, free, undecided, paused = 0 } = summary;
  return [
    `${countText(pods, 'pod')} in ${countText(namespaces, 'namespace')} would be evicted${pods > 0 ? planTimeText(summary) : ''}`,
    ...(paused > 0 ? [`${pausedText(paused)} (see: sluice pauses)`] : []),
    ...budgetTexts(summary),
    ...free.map((one) => `${countText(one.free, 'free, untainted device')} of ${sourceOf(one)}`),
    ...(undecided > 0 ? [`${countText(undecided, 'pod')} would be kept, because Sluice cannot decide`] : []),
  ];
}

function rowLines({ pods }: ShownPlan, look: PlanLook) {
  const page = { number: look.page, size: look.pageSize };
  const width = look.isWide ? undefined : look.width;
  if (look.by !== 'pod') {
    const { rows, ...at } = pageOf(groupsOf(pods, look.by), page);
    const columns = [
      { name: look.by.toUpperCase(), of: ({ name }: GroupRow) => name, isName: true as const },
      { name: 'PODS', of: (one: GroupRow) => numberText(one.pods) },
      { name: 'BEYOND BUDGETS', of: ({ beyondBudgets }: GroupRow) => numberText(beyondBudgets) },
    ];
    return { lines: rows.length === 0 ? [] : tableLines(columns, rows, { width }), ...at };
  }
  const { rows, ...at } = pageOf(pods, page);
  type Row = (typeof rows)[number];
  // The same columns on every page.
  const isAnyPaused = pods.some(({ paused }) => paused);
  const columns = [
    { name: 'NAMESPACE', of: ({ pod }: Row) => pod.namespace },
    { name: 'POD', of: ({ pod }: Row) => pod.name, isName: true as const },
    { name: 'OWNER', of: (one: Row) => ownerText(one).split('/').slice(1).join('/') || 'none' },
    { name: 'BUDGET', of: ({ headroom }: Row) => budgetText(headroom) },
    { name: 'TOLERATED', of: ({ tolerated }: Row) => (tolerated === 0 ? 'no' : durationText(tolerated)) },
    ...(isAnyPaused ? [{ name: 'PAUSED', of: ({ paused }: Row) => (paused ? 'yes' : 'no') }] : []),
    { name: 'DEVICES', of: ({ claims }: Row) => claims.flatMap(({ devices }) => devices.map(deviceText)).join(', ') },
    ...(look.isWide ? [{ name: 'NODE', of: ({ node }: Row) => node }] : []),
  ];
  return { lines: rows.length === 0 ? [] : tableLines(columns, rows, { width }), ...at };
}
