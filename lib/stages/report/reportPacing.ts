// Writes the pacing condition of a rule: rate, next eviction, estimated end; throttled like upstream's condition.
import { periodOf } from '../../decide/bucket.ts';
import { conditionToWrite } from '../../decide/condition.ts';
import {
  type PacedTaintFacts,
  type PacingContent,
  pacing,
  pacingCondition,
  type Queue,
  unpacedCondition,
} from '../../decide/pacingReport.ts';
import { bucketNameOf, rateUnheld, writtenRateOf } from '../../decide/rate.ts';
import { effectOf } from '../../decide/ruleTaints.ts';
import { evicts } from '../../decide/taint.ts';
import { descriptionText } from '../../decide/taintText.ts';
import { inFlightLimits, roomOf } from '../../gates/index.ts';
import type { LimiterId } from '../../model/eviction.ts';
import { awaitsApproval, type Hold } from '../../model/hold.ts';
import { ruleLimiter, ruleRef, type TaintRule } from '../../model/rule.ts';
import { farFuture, type Instant } from '../../model/time.ts';
import type { LiveRule } from '../../ports.ts';
import { readTokens } from '../../state/bucketRows.ts';
import { standingPages } from '../../state/listedRows.ts';
import type { State } from '../../state/state.ts';
import { readLimiterFacts } from '../../steps/limiterFacts.ts';
import type {
  ClusterAccess,
  ClusterStepDependencies,
  ComeBack,
  ReportedRule,
  StepDependencies,
} from '../../steps/step.ts';
import type { StopsSeen } from '../../steps/stops.ts';
import { checkWritten } from './checkWritten.ts';
import type { ClusterHold } from './clusterHold.ts';

/** A rule without pending pods has no such condition. */
export async function reportPacing(
  deps: ClusterStepDependencies,
  state: State,
  live: ReportedRule & { readonly hold: Hold | undefined; readonly cluster: ClusterHold },
): Promise<ComeBack | undefined> {
  const { rule, taints } = live;
  const now = deps.clock.now();
  const { stops } = live.cluster;
  const acting = taints.filter(({ taint }) => evicts(taint));
  const facts = await Promise.all(
    acting.map((one) => factsOf(deps, state, { rule: one, taints, hold: live.hold, stops, now })),
  );
  return write(deps, state, { live, content: pacingCondition(facts, { generation: rule.generation, now }) });
}

/** For a native rule in shadow mode: operators look there for its rate. */
export async function reportUnpaced(
  deps: ClusterStepDependencies,
  state: State,
  live: LiveRule & { readonly access: ClusterAccess },
): Promise<ComeBack | undefined> {
  const { rule } = live;
  const content = effectOf(rule) === 'NoExecute' ? unpacedCondition(rule.generation) : undefined;
  return write(deps, state, { live, content });
}

async function write(
  deps: ClusterStepDependencies,
  state: State,
  by: { readonly live: LiveRule & { readonly access: ClusterAccess }; readonly content: PacingContent | undefined },
): Promise<ComeBack | undefined> {
  const { live, content } = by;
  const { rule, conditions, access } = live;
  const now = deps.clock.now();
  const previous = conditions.find(({ type }) => type === pacing);
  if (!content && !previous) return undefined;
  // A stop or a hold shows as soon as in the condition Held, and so does its end; only numbers wait.
  const isOther = previous?.reason !== content?.reason;
  const next = content && conditionToWrite(content, { ...(previous && !isOther ? { previous } : {}), now });
  if (next?.kind === 'Same') return undefined;
  if (next?.kind === 'Throttled') return { kind: 'ComeBack', seconds: Math.ceil((next.until - now) / 1000) };
  const written = await access.ruleStatus.apply(rule, next ? [next.condition] : [], 'pace');
  checkWritten(deps, state, { object: ruleRef(rule), written });
  return undefined;
}

async function factsOf(
  deps: StepDependencies,
  state: State,
  by: {
    readonly rule: TaintRule;
    readonly taints: readonly TaintRule[];
    readonly hold: Hold | undefined;
    readonly stops: StopsSeen;
    readonly now: Instant;
  },
): Promise<PacedTaintFacts> {
  const { rule, now } = by;
  const limiter = ruleLimiter(rule);
  const ruleSet = { rules: by.taints };
  // Approval is per rule; all other gates are asked per taint.
  const approval = by.hold && awaitsApproval(by.hold) ? by.hold : 'NotNeeded';
  const rate = rateUnheld(rule);
  const limit = deps.limitOf(state.cluster);
  const name = bucketNameOf(limiter, ruleSet);
  const [{ facts }, queue, { tokens }] = await Promise.all([
    readLimiterFacts(deps, state, { limiter, ruleSet, approval, isShown: true }),
    readQueue(state, limiter),
    readTokens(state, { name, rate, now, wanted: 1, ahead: Number.POSITIVE_INFINITY, limit }),
  ]);
  const kept = roomOf(facts).because.find(({ reason }) => reason !== 'StandsStill' && reason !== 'NotOwned');
  const step = periodOf(rate);
  const [first] = tokens;
  return {
    name: `${rule.taint.key}${descriptionText(rule.taint)}`,
    written: writtenRateOf(rule),
    ...(rule.policy ? { policy: rule.policy.name } : {}),
    inFlight: inFlightLimits(facts.policy),
    queue,
    ...(by.stops.kind === 'Stopped' ? { stop: by.stops.why } : {}),
    ...(kept ? { hold: kept } : {}),
    ...(first === undefined || step === undefined ? {} : { schedule: { first, step: step / 1000 } }),
    ...(limit === undefined ? {} : { limit }),
  };
}

/** Counts the list page by page. */
async function readQueue(state: State, limiter: LimiterId): Promise<Queue> {
  let [deleting, pending, kept, pods, first, last] = [0, 0, 0, 0, Number.POSITIVE_INFINITY, 0];
  for await (const page of standingPages(state, limiter))
    for (const one of page) {
      if (one.kind === 'Deleting') deleting++;
      else if (one.kind === 'Pending') pending++;
      else if (one.dueAt >= farFuture) kept++;
      else [pods, first, last] = [pods + 1, Math.min(first, one.dueAt), Math.max(last, one.dueAt)];
    }
  return { deleting, pending, ...(pods > 0 ? { later: { pods, first, last } } : {}), ...(kept > 0 ? { kept } : {}) };
}
