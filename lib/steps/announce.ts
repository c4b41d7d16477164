// Tells the other stages what an evaluation came to: limiters to pace, pods to evict, rules to report.
import { formatCancellation, formatWayProblem } from '../decide/eventText.ts';
import type { LimiterId } from '../model/eviction.ts';
import type { EvictMessage, PaceMessage } from '../model/message.ts';
import { type RuleRef, ruleLimiter, ruleRef, type TaintRule } from '../model/rule.ts';
import { type PodRow, podRefOf } from '../state/podRows.ts';
import { askForReport } from '../state/reportRows.ts';
import type { State } from '../state/state.ts';
import type { CancelledEviction, Evaluated } from './evaluatePods.ts';
import { askForPlans } from './movedPlans.ts';
import type { StepDependencies } from './step.ts';

/** Upstream writes a condition ten seconds after a pod was planned or evicted (semantics.md 6.3). */
export const reportDelay = 10_000;

/** A pod may be found late, never early: waits beyond what a queue can hold are the sweep's. */
const longestQueueDelay = 900_000;

export async function announce(deps: StepDependencies, state: State, evaluated: Evaluated): Promise<void> {
  const { cluster } = state;
  const now = deps.clock.now();
  const wakes = [...evaluated.wake].filter(([, at]) => at - now <= longestQueueDelay);
  await Promise.all([
    deps.queues.sendEvict(evictMessages(cluster, evaluated.reserved)),
    deps.queues.sendPace(wakes.map(([limiter, notBefore]) => ({ cluster, limiter, notBefore }))),
    askForReports(deps, state, evaluated.rules),
    askForPlans(deps, state, evaluated.plans),
    sendCancellations(deps, state, evaluated.cancelled),
    sendProblems(deps, state, evaluated.problems),
  ]);
  deps.metrics.add('PodsListed', evaluated.reserved.length, cluster);
  deps.metrics.add('EvictionsCancelled', evaluated.cancelled.length, cluster);
}

/** An evictor works on so many pods at once; those of a large workload go to several. */
const tasksPerMessage = 50;

/** Messages for one limiter and second of slots: their delay is a whole number of seconds (SQS DelaySeconds). */
export function evictMessages(
  cluster: string,
  reserved: readonly PodRow[],
  { hops, late }: Pick<PaceMessage, 'hops' | 'late'> = {},
): readonly EvictMessage[] {
  const groups = new Map<string, { limiter: LimiterId; tasks: EvictMessage['tasks'][number][] }>();
  for (const { object, uid, ledger } of reserved) {
    if (!ledger?.reservation) continue;
    const { limiter, slot } = ledger.reservation;
    const key = `${Math.floor(slot / 1000)}|${limiter}`;
    const group = groups.get(key) ?? { limiter, tasks: [] };
    group.tasks.push({ pod: { namespace: object.namespace, name: object.name, uid }, slot });
    groups.set(key, group);
  }
  return [...groups.values()].flatMap(({ limiter, tasks }) => {
    const sorted = tasks.toSorted((a, b) => a.slot - b.slot);
    return Array.from({ length: Math.ceil(sorted.length / tasksPerMessage) }, (_, i) => ({
      cluster,
      limiter,
      tasks: sorted.slice(i * tasksPerMessage, (i + 1) * tasksPerMessage),
      ...(hops ? { hops } : {}),
      ...(late ? { late } : {}),
    }));
  });
}

export async function askForReports(deps: StepDependencies, state: State, rules: Iterable<string>): Promise<void> {
  const now = deps.clock.now();
  const at = now + reportDelay;
  const asked = await Promise.all(
    [...rules].map(async (rule) => ((await askForReport(state, rule, { at, now })) === 'Asked' ? [rule] : [])),
  );
  await deps.queues.sendReport(asked.flat().map((rule) => ({ cluster: state.cluster, rule, notBefore: at })));
}

/** The rules whose pods wait at some limiters. */
export function rulesPacedBy(limiters: readonly LimiterId[], rules: readonly TaintRule[]): ReadonlySet<RuleRef> {
  const inUse = new Set(limiters);
  return new Set(rules.filter((rule) => inUse.has(ruleLimiter(rule))).map(ruleRef));
}

/** The Event that upstream writes when a planned eviction is dropped; the report stage holds the credentials for it. */
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
