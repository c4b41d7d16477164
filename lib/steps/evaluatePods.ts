// Evaluates pods, writes the results into their ledgers, and collects which limiters and rules must be notified.
import { evaluatePod } from '../decide/evaluate.ts';
import { limiterOf } from '../decide/limiter.ts';
import { planLedger } from '../decide/plan.ts';
import { policyOf, type RuleSet } from '../decide/rate.ts';
import { isSame } from '../decide/same.ts';
import { policiesCounting } from '../decide/sliceApproval.ts';
import { countsInFlight } from '../gates/index.ts';
import type { Ledger, LimiterId, Listing } from '../model/eviction.ts';
import type { ClusterId } from '../model/identity.ts';
import { type RuleRef, ruleRef } from '../model/rule.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Instant } from '../model/time.ts';
import { refOf, type Verdict } from '../model/verdict.ts';
import { readNeighbourhood } from '../state/neighbourhood.ts';
import { type PodRow, readPods, writeLedger } from '../state/podRows.ts';
import { registerLimiters } from '../state/spreadList.ts';
import type { State } from '../state/state.ts';
import { mapParallel } from './mapParallel.ts';
import { movedPlans, type PlansAsked, plansAsked, plansOf } from './movedPlans.ts';
import { ownedSnapshot } from './ownedSnapshot.ts';
import { shadowPod } from './shadowPods.ts';
import type { StepDependencies } from './step.ts';
import { lowerModes } from './switchModes.ts';

/** A pod whose pending eviction was cancelled, and the ledger with the reasons for which it had been planned. */
export interface CancelledEviction {
  readonly row: PodRow;
  readonly ledger: Ledger;
}

export interface Evaluated {
  /** Limiters at which a listing is new or has moved, with the earliest due time of these listings. */
  readonly wake: ReadonlyMap<LimiterId, Instant>;
  /** Number of pods listed for the first time; a pod that is cancelled and listed again is not counted twice. */
  readonly listed: number;
  readonly cancelled: readonly CancelledEviction[];
  /** Pods that are kept because their eviction mode cannot be determined, found now. */
  readonly problems: readonly PodRow[];
  /** Rules and policies whose counts have changed. */
  readonly rules: ReadonlySet<RuleRef>;
  /** Rules whose live plan is out of date. */
  readonly plans: ReadonlySet<RuleRef>;
}

export interface EvaluationRequest {
  readonly state: State;
  /** `namespace/name`. */
  readonly pods: readonly string[];
  /** Pools that the pods probably use, each `driver|pool`. */
  readonly pools?: readonly string[];
}

/** Parallel writes. With 100, calls of evictors would queue behind these writes until their tokens expire. */
const parallelWrites = 25;

/** Passes of one evaluation; a lost race means that another process wrote the row. */
const attempts = 10;

/** Throws where a pod's row changed during each of ten passes, so that SQS redelivers the message. */
export async function evaluatePods(deps: StepDependencies, request: EvaluationRequest): Promise<Evaluated> {
  const result = {
    wake: new Map<LimiterId, Instant>(),
    listed: 0,
    cancelled: [] as CancelledEviction[],
    problems: [] as PodRow[],
    rules: new Set<string>(),
    plans: new Set<string>(),
  };
  let pods: readonly string[] = [...new Set(request.pods)];
  for (let attempt = 0; pods.length > 0; attempt++) {
    if (attempt === attempts)
      throw new Error(`${pods.length} pods moved under ${attempts} evaluations, first ${pods[0]}`);
    if (attempt > 0) await deps.clock.sleep(5 * attempt);
    pods = await evaluateOnce(deps, { ...request, pods }, result);
  }
  return result;
}

type Collected = {
  wake: Map<LimiterId, Instant>;
  listed: number;
  cancelled: CancelledEviction[];
  problems: PodRow[];
  rules: Set<string>;
  plans: Set<string>;
};

/** One pass; returns the pods whose write lost a race. */
async function evaluateOnce(
  deps: StepDependencies,
  request: EvaluationRequest,
  into: Collected,
): Promise<readonly string[]> {
  const { state } = request;
  const rows = await readPods(state, request.pods);
  const snapshot = await readNeighbourhood(state, rows, deps.settings, request.pools);
  await lowerModes(deps, state, snapshot.modes);
  const now = deps.clock.now();
  const plans = plansAsked(snapshot, now);
  for (const limiter of rows.flatMap((row) => madeRoom(row, snapshot))) into.wake.set(limiter, now);
  const planned = rows.map((row) => ({
    row,
    ledger: plannedLedger(deps, { row, snapshot, now, cluster: state.cluster }),
  }));
  const limiters = planned.flatMap(({ ledger }) => (ledger?.listings ?? []).map((listing) => listing.limiter));
  await registerLimiters(state, limiters, now);
  const lost = await mapParallel(planned, parallelWrites, async ({ row, ledger: next }) => {
    const shadow = shadowPod(deps, state, { row, snapshot, now });
    const shadowed = shadow ? { shadow, with: shadow.writes } : {};
    const planned = plansOf(row, plans);
    const written = await writeLedger(state, row, { ledger: next, now, evaluation: 'Done', planned, ...shadowed });
    if (written.kind === 'Lost') return row.key;
    if (shadow?.metric) deps.metrics.add(shadow.metric, 1, state.cluster);
    for (const rule of movedPlans(row.planned, planned)) into.plans.add(rule);
    collect(into, { before: row, after: written.row, changed: next !== undefined, plans });
    return undefined;
  });
  return lost.flatMap((key) => key ?? []);
}

/** Limiters at which a place in flight may be free, because this pod is gone or another pod has its name. */
function madeRoom({ uid, gone, ledger }: PodRow, ruleSet: RuleSet): readonly LimiterId[] {
  if (!ledger || (ledger.podUid === uid && !gone)) return [];
  if (!['Deleting', 'Evicted', 'Gone'].includes(ledger.state)) return [];
  return ledger.because.map(limiterOf).filter((limiter) => countsInFlight(policyOf(limiter, ruleSet)));
}

interface Planning {
  readonly row: PodRow;
  readonly snapshot: Snapshot;
  readonly now: Instant;
  readonly cluster: ClusterId;
}

/** The ledger to write; `undefined` where only the version changes. */
function plannedLedger(deps: StepDependencies, { row, snapshot, now, cluster }: Planning): Ledger | undefined {
  const verdict: Verdict = row.gone
    ? { kind: 'Keep' }
    : evaluatePod(row.object, ownedSnapshot(deps, cluster, snapshot));
  if (verdict.kind === 'Unknown') {
    deps.metrics.add('VerdictsUnknown', 1, cluster);
    deps.log.warn('pod cannot be decided and stays', { cluster, pod: row.key, uid: row.uid, why: verdict.why });
  }
  const ledger = row.ledger?.podUid === row.uid ? row.ledger : undefined;
  const plan = planLedger({
    pod: row.object,
    gone: row.gone,
    verdict,
    ledger,
    ruleSet: snapshot,
    now,
  });
  return plan.kind === 'Keep' || plan.kind === 'Unchanged' ? undefined : plan.ledger;
}

function collect(into: Collected, by: { before: PodRow; after: PodRow; changed: boolean; plans: PlansAsked }): void {
  const { before, after } = by;
  const { snapshot, asking, now } = by.plans;
  if (!by.changed || !after.ledger) return;
  for (const policy of policiesCounting([before.ledger, after.ledger], snapshot)) into.rules.add(policy);
  const asked = new Set(asking.map(ruleRef));
  for (const rule of rulesOf(before.ledger, after.ledger)) {
    into.rules.add(rule);
    if (asked.has(rule)) into.plans.add(rule);
  }
  if (after.ledger.state === 'Cancelled' && !after.ledger.untold && before.ledger)
    into.cancelled.push({ row: after, ledger: before.ledger });
  if (hasNewProblem(before, after)) into.problems.push(after);
  if (after.ledger.state !== 'Pending') return;
  if (before.ledger?.podUid !== after.uid) into.listed++;
  for (const { limiter, dueAt } of movedListings(before, after.ledger)) {
    const at = Math.max(dueAt, now);
    into.wake.set(limiter, Math.min(into.wake.get(limiter) ?? at, at));
  }
}

/** Listings that are unchanged are left out: their limiter was already woken, and the sweep wakes it in any case. */
function movedListings({ ledger, uid }: PodRow, after: Ledger): readonly Listing[] {
  if (ledger?.state !== 'Pending' || ledger.podUid !== uid || after.podUid !== uid) return after.listings;
  const known = new Map(ledger.listings.map((one) => [one.limiter, one]));
  return after.listings.filter((one) => !isSame(one, known.get(one.limiter)));
}

/** Whether to record an Event on what keeps the pod: once per pod and problem. */
export function hasNewProblem(before: PodRow, after: PodRow): boolean {
  const known = before.ledger?.podUid === after.uid ? before.ledger.problem : undefined;
  return after.ledger?.problem !== undefined && after.ledger.problem !== known;
}

/** The rules among the reasons of either ledger. */
export function rulesOf(...ledgers: readonly (Pick<Ledger, 'because'> | undefined)[]): ReadonlySet<RuleRef> {
  const origins = ledgers.flatMap((ledger) => ledger?.because ?? []).map((reason) => reason.origin);
  return new Set(origins.flatMap((origin) => refOf(origin) ?? []));
}
