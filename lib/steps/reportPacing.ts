// Says on a rule how fast its pods go, when the next one does and about when the last one will have; throttled like upstream's condition.
import { conditionToWrite } from '../decide/condition.ts';
import { holdOf } from '../decide/hold.ts';
import {
  type PacedTaintFacts,
  type PacingContent,
  pacing,
  pacingCondition,
  type Queue,
  unpacedCondition,
} from '../decide/pacingReport.ts';
import { rateUnheld, writtenRateOf } from '../decide/rate.ts';
import { effectOf } from '../decide/ruleTaints.ts';
import { evicts } from '../decide/taint.ts';
import { awaitsApproval, type Hold } from '../model/hold.ts';
import { ruleLimiter, ruleRef, type TaintRule } from '../model/rule.ts';
import type { Instant } from '../model/time.ts';
import type { LiveRule } from '../ports.ts';
import { findStops, type StopsSeen } from '../stages/stops.ts';
import { readSchedule } from '../state/bucketRows.ts';
import { readListed } from '../state/limiterRows.ts';
import { standingOf } from '../state/listingRows.ts';
import { isWatched } from '../state/liveness.ts';
import { readPauses } from '../state/pauseRows.ts';
import type { State } from '../state/state.ts';
import { isWaitingForCanary } from './canary.ts';
import { checkWritten } from './checkWritten.ts';
import type { ClusterAccess, ClusterStepDependencies, ComeBack, ReportedRule, StepDependencies } from './step.ts';

/** A rule for which nobody waits has no such condition. */
export async function reportPacing(
  deps: ClusterStepDependencies,
  state: State,
  live: ReportedRule & { readonly hold: Hold | undefined },
): Promise<ComeBack | undefined> {
  const { rule, taints } = live;
  const now = deps.clock.now();
  const [pauses, stops] = await Promise.all([readPauses(state), findStops({ state, access: live.access }, now)]);
  const isPaused = pauses.length > 0;
  const acting = taints.filter(({ taint }) => evicts(taint));
  const limit = deps.limitOf(state.cluster);
  const stopped = isPaused ? 'Paused' : (await isWatched(state, now)) ? undefined : 'WatcherSilent';
  const by = { hold: live.hold, stopped, stops, limit, now } as const;
  const facts = await Promise.all(acting.map((one) => factsOf(deps, state, { ...by, rule: one, taints })));
  return write(deps, state, { live, content: pacingCondition(facts, { generation: rule.generation, now }) });
}

/** What a native rule says where Sluice only watches: people look for its pace there. */
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
  const next = content && conditionToWrite(content, { ...(previous ? { previous } : {}), now });
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
    /** Why nobody in the whole cluster goes. */
    readonly stopped: 'Paused' | 'WatcherSilent' | undefined;
    readonly stops: StopsSeen;
    readonly limit: number | undefined;
    readonly now: Instant;
  },
): Promise<PacedTaintFacts> {
  const { rule, now } = by;
  const limiter = ruleLimiter(rule);
  const [isInCanary, listed, schedule] = await Promise.all([
    isWaitingForCanary(deps, state, { limiter, ruleSet: { rules: by.taints } }),
    readListed(state, limiter),
    readSchedule(state, limiter, { rate: rateUnheld(rule), now }),
  ]);
  const canary = isInCanary ? { reason: 'Canary' as const } : undefined;
  const hold = by.stopped ? { reason: by.stopped } : (holdOf(rule, now) ?? unapproved(by.hold) ?? canary);
  return {
    key: rule.taint.key,
    written: writtenRateOf(rule),
    ...(rule.policy ? { policy: rule.policy.name } : {}),
    queue: queueOf(listed),
    ...(by.stops.kind === 'Stopped' ? { stop: by.stops.why } : {}),
    ...(hold ? { hold } : {}),
    ...(schedule ? { schedule } : {}),
    ...(by.limit === undefined ? {} : { limit: by.limit }),
  };
}

/** Only a rule as a whole is approved of; all other holds are found taint by taint. */
function unapproved(hold: Hold | undefined): Hold | undefined {
  return awaitsApproval(hold) ? hold : undefined;
}

function queueOf(listed: readonly { readonly sk: string }[]): Queue {
  const standings = listed.map(({ sk }) => standingOf(sk));
  return {
    slots: standings.flatMap((one) => (one.kind === 'Reserved' ? [one.slot] : [])),
    pending: standings.filter(({ kind }) => kind === 'Pending').length,
    dueAt: standings.flatMap((one) => (one.kind === 'Waiting' ? [one.dueAt] : [])),
  };
}
