// Reports one rule: what its condition, its pace, its plan and its projection say, written where they have changed and the throttle allows it.
import { ruleCondition } from '../../decide/condition.ts';
import { readsProperties } from '../../decide/deviceMatch.ts';
import { effectOf, taintRulesOf } from '../../decide/ruleTaints.ts';
import { isSame } from '../../decide/same.ts';
import { addSelected, noDevices, selectedIn, selectionNote } from '../../decide/selected.ts';
import { evicts } from '../../decide/taint.ts';
import { nextTurn } from '../../decide/window.ts';
import type { Hold } from '../../model/hold.ts';
import type { ReportMessage } from '../../model/message.ts';
import { type Modes, sourceOfKind } from '../../model/ownership.ts';
import type { PlanSummary } from '../../model/plan.ts';
import {
  type AnyRule,
  type PacedTaintRule,
  parseRuleRef,
  type RuleRef,
  ruleLimiter,
  ruleRef,
  type TaintRule,
} from '../../model/rule.ts';
import type { Instant } from '../../model/time.ts';
import { currentTaintsOf } from '../../state/currentRules.ts';
import { isFanningOut } from '../../state/fanOutRows.ts';
import { countListed } from '../../state/listedCounts.ts';
import { dropPlan } from '../../state/planRows.ts';
import { poolPages } from '../../state/poolPages.ts';
import { readTally } from '../../state/recordRows.ts';
import { epochOf, readRule } from '../../state/ruleRows.ts';
import type { State } from '../../state/state.ts';
import type { ClusterAccess, ClusterStepDependencies, ComeBack, ReportedRule } from '../../steps/step.ts';
import { checkWritten } from './checkWritten.ts';
import { type ClusterHold, readClusterHold } from './clusterHold.ts';
import { readLiveRule } from './liveRule.ts';
import { refreshPlan } from './refreshPlan.ts';
import { reportHold } from './reportHold.ts';
import { reportPacing, reportUnpaced } from './reportPacing.ts';
import { reportProjection } from './reportProjection.ts';
import { reportRate } from './reportRate.ts';
import { reportSeen } from './reportSeen.ts';
import { removeProjection } from './tellScheduler.ts';

const conditionType = 'EvictionInProgress';

/** Throws where the API server cannot be reached, so that SQS redelivers the message. */
export async function reportRule(
  deps: ClusterStepDependencies,
  state: State,
  by: {
    readonly message: ReportMessage;
    readonly access: ClusterAccess;
    readonly modes: Modes;
    readonly since: Instant;
  },
): Promise<ComeBack | undefined> {
  const { message, access, modes, since } = by;
  const mode = modes[sourceOfKind(parseRuleRef(message.rule).kind)];
  // Native rules that another controller owns are its to report; Sluice's own kinds report that Sluice does not evict.
  if (mode !== 'own' && sourceOfKind(parseRuleRef(message.rule).kind) === 'native')
    return mode === 'shadow' ? reportWatched(deps, state, { name: message.rule, access }) : undefined;
  const live = await readLiveRule(access, message.rule);
  switch (live.kind) {
    case 'NotFound':
      await dropPlan(state, message.rule);
      await endProjection(deps, state, { ref: message.rule, access });
      return undefined;
    case 'RetryLater':
      throw new Error(`rule ${message.rule}: ${live.why}`);
    case 'Refused':
      deps.metrics.add('EvictionsRefused', 1, message.cluster);
      deps.log.error('rule cannot be read', { cluster: message.cluster, rule: message.rule, why: live.why });
      return undefined;
    case 'Found': {
      const rule = { ...live, access, modes, taints: await currentTaintsOf(state, live.rule) };
      await reportSeen(deps, state, rule);
      await reportRate(deps, state, rule);
      await reportProjection(deps, state, rule);
      const cluster = await readClusterHold(deps, state, { ...rule, since });
      const hold = await reportHold(deps, state, { ...rule, cluster });
      const isEvaluated = await isWhollyEvaluated(state, live.rule);
      const { comeBack, summary } = await refreshPlan(deps, state, { ...rule, hold, isEvaluated });
      if (message.plan) return comeBack;
      const counted = { ...rule, cluster, hold, isEvaluated, ...(summary ? { summary } : {}) };
      return later(atNextTurn(rule.taints, since), later(comeBack, await reportProgress(deps, state, counted)));
    }
    default:
      return live satisfies never;
  }
}

async function reportWatched(
  deps: ClusterStepDependencies,
  state: State,
  { name, access }: { readonly name: RuleRef; readonly access: ClusterAccess },
): Promise<ComeBack | undefined> {
  const live = await readLiveRule(access, name);
  return live.kind === 'Found' ? reportUnpaced(deps, state, { ...live, access }) : undefined;
}

/** The table still has the UID of a deleted rule. */
async function endProjection(
  deps: ClusterStepDependencies,
  state: State,
  { ref, access }: { readonly ref: RuleRef; readonly access: ClusterAccess },
): Promise<void> {
  const row = await readRule(state, ref);
  if (row?.object.kind === 'PacedTaintRule') await removeProjection(deps, access, row.uid);
}

/** The message is redelivered once, at the earlier of the two times. */
function later(a: ComeBack | undefined, b: ComeBack | undefined): ComeBack | undefined {
  return a && b ? { kind: 'ComeBack', seconds: Math.min(a.seconds, b.seconds) } : (a ?? b);
}

/** No event announces that the windows of a policy open or close, and a rule without pods has no evictions that request a report. */
function atNextTurn(taints: readonly TaintRule[], now: Instant): ComeBack | undefined {
  const turns = taints.flatMap(({ taint, policy }) =>
    evicts(taint) ? (nextTurn(policy?.windows ?? [], now) ?? []) : [],
  );
  return turns.length === 0 ? undefined : { kind: 'ComeBack', seconds: Math.ceil((Math.min(...turns) - now) / 1000) };
}

interface Counted extends ReportedRule {
  readonly cluster: ClusterHold;
  readonly isEvaluated: boolean;
  /** The numbers of its plan. */
  readonly summary?: PlanSummary;
}

async function reportProgress(
  deps: ClusterStepDependencies,
  state: State,
  rule: Counted & { readonly hold: Hold | undefined },
): Promise<ComeBack | undefined> {
  const comeBack = await writeCondition(deps, state, rule);
  return later(comeBack, await reportPacing(deps, state, rule));
}

async function writeCondition(
  deps: ClusterStepDependencies,
  state: State,
  live: Counted,
): Promise<ComeBack | undefined> {
  const { rule } = live;
  if (!live.isEvaluated) return undefined;
  const previous = live.conditions.find((condition) => condition.type === conditionType);
  const now = deps.clock.now();
  const facts = await readFacts(deps, state, live);
  const next = ruleCondition({ rule, ...facts, ...(previous ? { previous } : {}), now });
  if (next.kind === 'Same') return undefined;
  // Come back after the throttle: after the last pod of a rule, nothing else requests a report.
  if (next.kind === 'Throttled') return { kind: 'ComeBack', seconds: Math.ceil((next.until - now) / 1000) };
  const written = await live.access.ruleStatus.apply(rule, [next.condition]);
  checkWritten(deps, state, { object: ruleRef(rule), written });
  return undefined;
}

/** A rule is reported only after its whole fan-out is evaluated: `kubectl wait` must not end before that. */
async function isWhollyEvaluated(state: State, rule: AnyRule): Promise<boolean> {
  const row = await readRule(state, ruleRef(rule));
  if (!row || row.gone || row.uid !== rule.uid || row.object.generation !== rule.generation) return false;
  if ((row.dirty ?? []).length > 0) return false;
  // Pods are not evaluated for taints whose timeAdded is unknown, or not yet in the table.
  if (rule.kind === 'PacedTaintRule' && !isTimed(rule, row.object)) return false;
  return !(await isFanningOut(state, ruleRef(rule), epochOf(rule)));
}

function isTimed(live: PacedTaintRule, stored: AnyRule): boolean {
  return (
    stored.kind === 'PacedTaintRule' &&
    isSame(stored.seen, live.seen) &&
    taintRulesOf(live).every(({ taint }) => taint.timeAdded !== undefined)
  );
}

async function readFacts(deps: ClusterStepDependencies, state: State, { rule, taints, modes, summary }: Counted) {
  const mode = modes[sourceOfKind(rule.kind)];
  const [known] = taints;
  const [pending, evicted] = await Promise.all([
    countListed(state, taints.map(ruleLimiter)),
    readTally(state, rule.uid),
  ]);
  const reads = known?.deviceSelector && readsProperties(known.deviceSelector);
  const plan = summary ? { plan: summary } : {};
  if (!known || (effectOf(rule) !== 'None' && !reads)) return { mode, pending, evicted, ...plan };
  let selected = noDevices;
  for await (const part of poolPages(state, deps.settings)) selected = addSelected(selected, selectedIn(known, part));
  const note = reads ? { note: selectionNote(selected) } : {};
  const preview = summary ? { preview: { ...selected, pods: summary.pods, namespaces: summary.namespaces } } : {};
  return { mode, pending, evicted, ...plan, ...note, ...preview };
}
