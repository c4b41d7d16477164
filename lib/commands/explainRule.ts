// Explains in sentences what a rule does or would do now: its conditions, holds and matching pods.
import { conditionsOf } from '../adapters/kubernetes/projectRule.ts';
import { type Json, objectOf } from '../adapters/kubernetes/read.ts';
import { holdOf } from '../decide/hold.ts';
import { planRule } from '../decide/livePlan.ts';
import { planHold } from '../decide/planHold.ts';
import { countPaused } from '../decide/planReport.ts';
import { writtenRateOf } from '../decide/rate.ts';
import { selectsNothing } from '../decide/selectorHold.ts';
import { countSkipped } from '../decide/skipped.ts';
import { describeTaint } from '../decide/taintText.ts';
import type { PlanSummary, RulePlan } from '../model/plan.ts';
import type { TaintRule } from '../model/rule.ts';
import type { Instant } from '../model/time.ts';
import { budgetTexts, countText, pausedText, planTimeText, rateText, timeText } from '../view/words.ts';
import type { Picture } from './cluster/assemble.ts';
import { uidOf } from './cluster/objects.ts';
import type { OpenCluster } from './cluster/open.ts';
import { budgetUseOf, toldOf } from './cluster/planning.ts';
import { timedRule } from './cluster/timed.ts';
import { approvalWritten } from './get/policies.ts';
import { skippedLines } from './output/planText.ts';

/** With the PodDisruptionBudgets of its pods, which are read from the API server. */
export async function explainRuleIn(
  cluster: OpenCluster,
  rule: Json,
  { picture, now }: { readonly picture: Picture; readonly now: Instant },
): Promise<readonly string[]> {
  const planned = plannedRule(rule, picture, now);
  const budgets = await budgetUseOf(cluster, planned?.plan.pods ?? []);
  return explainRule(rule, picture, now, { planned, budgets });
}

interface Planned {
  /** As the cluster has them. */
  readonly written: readonly [TaintRule, ...TaintRule[]];
  /** Those that Sluice has not seen yet act from now on. */
  readonly taints: readonly [TaintRule, ...TaintRule[]];
  readonly plan: RulePlan;
}

/** Absent if the rule has no readable taint. */
function plannedRule(rule: Json, { snapshot }: Pick<Picture, 'snapshot'>, now: Instant): Planned | undefined {
  const [first, ...rest] = snapshot.rules.filter(({ uid }) => uid === uidOf(rule));
  if (!first) return undefined;
  const taints = [timedRule(first, now), ...rest.map((one) => timedRule(one, now))] as const;
  return { written: [first, ...rest], taints, plan: planRule(taints, snapshot, now) };
}

/** `budgets`: absent if they are not read. */
export function explainRule(
  rule: Json,
  picture: Picture,
  now: Instant,
  {
    planned = plannedRule(rule, picture, now),
    budgets = { beyondBudgets: 0, unbudgeted: 0 },
  }: {
    readonly planned?: Planned | undefined;
    readonly budgets?: Pick<PlanSummary, 'beyondBudgets' | 'unbudgeted'>;
  } = {},
): readonly string[] {
  const { snapshot, stopped } = picture;
  const name = `${rule.kind} ${objectOf(rule.metadata).name}`;
  const said = conditionLines(rule, now);
  if (!planned) return [`${name}: is unreadable or has no taint; it evicts no pod`, ...said];
  const { written } = planned;
  const nothing = selectsNothing(written[0], snapshot);
  const approval = approvalWritten(rule);
  return [
    `${name}: ${headline(planned, { rule, snapshot, stopped }, now)}`,
    ...budgetTexts(budgets).map((one) => `  ${one}`),
    ...(stopped === undefined ? [] : [`  held: ${stopped}`]),
    ...(nothing === undefined ? [] : [`  held: ${nothing}`]),
    ...written.map((one) => taintLine(one, now)),
    ...(approval === undefined ? [] : [`  ${approval}`]),
    ...said,
  ];
}

/** Conditions have numbers of an earlier moment than the lines before them, so that moment is said. */
export function conditionLines(rule: Json, now: Instant): readonly string[] {
  const conditions = conditionsOf(rule);
  if (conditions.length === 0) return [];
  return [
    '  its conditions, which follow within seconds:',
    ...conditions.map(
      ({ type, status, reason, message, lastTransitionTime: since }) =>
        `  ${type} is ${status} since ${timeText(since, now)} UTC (${reason}): ${message}`,
    ),
  ];
}

function headline(
  { taints, plan }: Planned,
  { rule, snapshot, stopped }: Pick<Picture, 'snapshot' | 'stopped'> & { readonly rule: Json },
  now: Instant,
): string {
  const acts = taints.some(({ taint }) => taint.effect === 'NoExecute');
  const { pods, namespaces, undecided, takes } = plan;
  const held = planHold(taints, { now, stopped, told: toldOf(rule, { taints, picture: { snapshot }, plan }) });
  const paused = countPaused(pods);
  const reach = `${countText(pods.length, 'pod')} in ${countText(namespaces, 'namespace')}`;
  const unclear =
    undecided > 0
      ? `; ${countText(undecided, 'pod')} ${undecided === 1 ? 'is' : 'are'} kept, because Sluice cannot decide`
      : '';
  const skipped = skippedLines(countSkipped(taints, snapshot, now)).map((one) => `; ${one}`);
  if (pods.length === 0) return `${skipped.length > 0 ? 'evicts' : 'reaches'} no pod${skipped.join('')}${unclear}`;
  // The lines that follow say what holds it.
  const whenNotHeld = held === undefined || takes === undefined || paused === pods.length ? '' : ' when not held';
  const time = `${planTimeText({ takes, pods: pods.length, paused })}${whenNotHeld}${paused === 0 ? '' : `; ${pausedText(paused)}`}${unclear}`;
  if (acts && stopped !== undefined) return `is stopped; would evict ${reach}${time}`;
  if (acts && (held !== undefined || paused === pods.length)) return `is held; would evict ${reach}${time}`;
  return acts ? `evicts ${reach}${time}` : `would evict ${reach}${time}, if its effect were NoExecute`;
}

function taintLine(rule: TaintRule, now: Instant): string {
  const hold = holdOf(rule, now);
  const policy = rule.policy === undefined ? '' : `, EvictionPolicy ${rule.policy.name}`;
  const added = rule.taint.timeAdded === undefined ? ', not yet seen by Sluice' : '';
  return `  ${describeTaint(rule.taint)} at ${rateText(writtenRateOf(rule).rate)}${policy}${added}${hold ? `; held: ${hold.message}` : ''}`;
}
