// Sends the results of an evaluation to the other stages: limiters with due pods, rules to report.
import { formatCancellation, formatWayProblem } from '../decide/eventText.ts';
import type { LimiterId } from '../model/eviction.ts';
import { type RuleRef, ruleLimiter, ruleRef, type TaintRule } from '../model/rule.ts';
import { type PodRow, podRefOf } from '../state/podRows.ts';
import { askForReport } from '../state/reportRows.ts';
import type { State } from '../state/state.ts';
import type { CancelledEviction, Evaluated } from './evaluatePods.ts';
import { mapParallel } from './mapParallel.ts';
import { askedAtOnce, askForPlans } from './movedPlans.ts';
import type { StepDependencies } from './step.ts';
import { wakeLimiters } from './wakes.ts';

/** Upstream writes a condition ten seconds after it plans or evicts a pod (docs/reference/rules.md 6.3). */
export const reportDelay = 10_000;

export async function announce(deps: StepDependencies, state: State, evaluated: Evaluated): Promise<void> {
  const { cluster } = state;
  await Promise.all([
    wakeLimiters(deps, state, evaluated.wake),
    askForReports(deps, state, evaluated.rules),
    askForPlans(deps, state, evaluated.plans),
    sendCancellations(deps, state, evaluated.cancelled),
    sendProblems(deps, state, evaluated.problems),
  ]);
  deps.metrics.add('PodsListed', evaluated.listed, cluster);
  deps.metrics.add('EvictionsCancelled', evaluated.cancelled.length, cluster);
}

export async function askForReports(
  deps: StepDependencies,
  state: State,
  rules: Iterable<string>,
  after = reportDelay,
): Promise<void> {
  const now = deps.clock.now();
  const at = now + after;
  const asked = await mapParallel([...rules], askedAtOnce, async (rule) =>
    (await askForReport(state, rule, { at, now })) === 'Asked' ? [rule] : [],
  );
  await deps.queues.sendReport(asked.flat().map((rule) => ({ cluster: state.cluster, rule, notBefore: at })));
}

/** The rules with pods pending at one of these limiters. */
export function rulesPacedBy(limiters: readonly LimiterId[], rules: readonly TaintRule[]): ReadonlySet<RuleRef> {
  const inUse = new Set(limiters);
  return new Set(rules.filter((rule) => inUse.has(ruleLimiter(rule))).map(ruleRef));
}

/** Upstream writes this Event when it cancels a planned eviction; only the report stage has the credentials for it. */
async function sendCancellations(
  deps: StepDependencies,
  state: State,
  cancelled: readonly CancelledEviction[],
): Promise<void> {
  const at = deps.clock.now();
  const alive = cancelled.filter(({ row }) => !row.gone);
  await deps.queues.sendEvents(
    alive.map(({ row, ledger }) => ({
      cluster: state.cluster,
      event: formatCancellation({ pod: podRefOf(row), ledger, at, attempt: row.ver }),
    })),
  );
}

async function sendProblems(deps: StepDependencies, state: State, kept: readonly PodRow[]): Promise<void> {
  const at = deps.clock.now();
  await deps.queues.sendEvents(
    kept.flatMap((row) =>
      row.ledger?.problem === undefined
        ? []
        : [{ cluster: state.cluster, event: formatWayProblem(podRefOf(row), row.ledger.problem, at) }],
    ),
  );
}
