// Refreshes one rule's plan (pods, PodDisruptionBudgets, free devices), stores it, and writes the numbers to the rule's status.
import { conditionToWrite } from '../../decide/condition.ts';
import { freeFor } from '../../decide/freeDevices.ts';
import { planGround } from '../../decide/livePlan.ts';
import { clusterStopped, planHold, toldBy } from '../../decide/planHold.ts';
import { evictionPlan, planCondition } from '../../decide/planReport.ts';
import { summaryOf } from '../../decide/planTally.ts';
import { awaitsApproval, type Hold } from '../../model/hold.ts';
import type { PlanSummary } from '../../model/plan.ts';
import { ruleRef, type TaintRule } from '../../model/rule.ts';
import type { Instant } from '../../model/time.ts';
import type { LiveRule } from '../../ports.ts';
import { currentRules } from '../../state/currentRules.ts';
import { isWatched } from '../../state/liveness.ts';
import { dropPlan, readPlan, type StoredPlan, storePlan } from '../../state/planRows.ts';
import type { State } from '../../state/state.ts';
import type { ClusterAccess, ClusterStepDependencies, ComeBack, ReportedRule } from '../../steps/step.ts';
import { checkWritten } from './checkWritten.ts';
import { isClusterStopped } from './clusterHold.ts';
import { countPlan } from './countPlan.ts';
import { recentlyFree } from './freeCount.ts';

export interface Refreshed {
  readonly comeBack?: ComeBack | undefined;
  /** The plan's numbers; absent where the rule has no plan, or its pods are still being searched. */
  readonly summary?: PlanSummary;
}

/** With the hold that this report found. */
type HeldRule = ReportedRule & { readonly hold: Hold | undefined };

/** Minimum milliseconds between two counts for each pod in the plan, so that counting a large plan takes a part of the time. */
const perPod = 6;

/** While the watcher is silent the table is out of date: the last plan stays, with its time. */
export async function refreshPlan(
  deps: ClusterStepDependencies,
  state: State,
  live: HeldRule & { readonly isEvaluated: boolean },
): Promise<Refreshed> {
  const { rule, hold } = live;
  const ref = ruleRef(rule);
  const before = await readPlan(state, ref);
  const now = deps.clock.now();
  const isPlanned = (one: TaintRule) => {
    const ground = planGround(one, { settings: deps.settings, now });
    return ground === 'Standing' || (ground === 'PerhapsUnapproved' && awaitsApproval(hold));
  };
  if (!live.taints.some(isPlanned)) return endPlan(deps, state, { ...live, isStored: before !== undefined });
  if (!live.isEvaluated) return {};
  const { uid, generation } = rule;
  const isOfVersion = before?.uid === uid && before.generation === generation;
  const known = isOfVersion ? { summary: before.summary } : {};
  if (!(await isWatched(state, now))) return known;
  const later = isOfVersion ? before.at + before.summary.pods * perPod - now : 0;
  if (later > 1000) return { ...known, comeBack: { kind: 'ComeBack', seconds: Math.ceil(later / 1000) } };
  // Use the table's taints: only they have the CEL selectors of the device class.
  const isSameVersion = (one: TaintRule) => one.uid === uid && one.generation === generation;
  const taints = (await currentRules(state)).filter((one) => isSameVersion(one) && isPlanned(one));
  if (taints.length === 0) return {};
  const summary = await count(deps, state, { live, taints, before, now });
  if (!summary) return { comeBack: { kind: 'ComeBack', seconds: 1 } };
  return { summary, comeBack: await say(deps, state, { live, summary, now }) };
}

/** `undefined` where another refresh stored its plan first. */
async function count(
  deps: ClusterStepDependencies,
  state: State,
  by: {
    readonly live: HeldRule;
    readonly taints: readonly TaintRule[];
    readonly before: StoredPlan | undefined;
    readonly now: Instant;
  },
): Promise<PlanSummary | undefined> {
  const { taints, before, now } = by;
  const { rule, access } = by.live;
  const ref = ruleRef(rule);
  const tally = await countPlan(deps, state, { taints, access, now });
  const wanted = [...tally.devices.values()];
  const free = wanted.length === 0 ? [] : freeFor(await recentlyFree(deps, state), { rule: ref, wanted });
  const held = await heldNow(deps, state, by);
  const summary = { ...summaryOf(tally, { taints, free, now }), ...(held === undefined ? {} : { held }) };
  const { uid, generation } = rule;
  const plan = { rule: ref, uid, generation, at: now, summary, first: tally.first };
  return (await storePlan(state, plan, before)) === 'Stored' ? summary : undefined;
}

/** Pauses, expiry and hold from this report, because the table and the rule's conditions may be older. */
async function heldNow(
  deps: ClusterStepDependencies,
  state: State,
  {
    live: { rule, access, hold },
    taints,
    now,
  }: { readonly live: HeldRule; readonly taints: readonly TaintRule[]; readonly now: Instant },
): Promise<string | undefined> {
  const current = taints.map((one) => ({ ...one, annotations: rule.annotations ?? {} }));
  const stopped = (await isClusterStopped(deps, state, access)) ? clusterStopped : undefined;
  return planHold(current, { now, stopped, told: toldBy(hold) });
}

async function say(
  deps: ClusterStepDependencies,
  state: State,
  by: { readonly live: ReportedRule; readonly summary: PlanSummary; readonly now: Instant },
): Promise<ComeBack | undefined> {
  const { live, summary, now } = by;
  const { rule, access } = live;
  const previous = live.conditions.find((condition) => condition.type === evictionPlan);
  const content = planCondition(summary, rule.generation);
  const next = conditionToWrite(content, { ...(previous ? { previous } : {}), now });
  if (next.kind === 'Same') return undefined;
  if (next.kind === 'Throttled') return { kind: 'ComeBack', seconds: Math.ceil((next.until - now) / 1000) };
  const written = await access.ruleStatus.apply(rule, [next.condition], 'plan');
  checkWritten(deps, state, { object: ruleRef(rule), written });
  return undefined;
}

/** The rule evicts, or needs no approval any more: remove the plan, since a stale plan would mislead operators. */
async function endPlan(
  deps: ClusterStepDependencies,
  state: State,
  { rule, access, conditions, isStored }: LiveRule & { readonly access: ClusterAccess; readonly isStored: boolean },
): Promise<Refreshed> {
  if (isStored) await dropPlan(state, ruleRef(rule));
  if (!conditions.some((condition) => condition.type === evictionPlan)) return {};
  const written = await access.ruleStatus.apply(rule, [], 'plan');
  checkWritten(deps, state, { object: ruleRef(rule), written });
  return {};
}
