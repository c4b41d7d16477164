// Revalidates one pod immediately before its eviction: against the API server, with the same rules as an evaluation.
import { evaluatePod } from '../../decide/evaluate.ts';
import { namespaceHold } from '../../decide/hold.ts';
import { listingsOf } from '../../decide/limiter.ts';
import { delayedBy, waysUnder } from '../../decide/mode.ts';
import { partIn } from '../../decide/ownership.ts';
import { planLedger } from '../../decide/plan.ts';
import { policyOf, rateWritten } from '../../decide/rate.ts';
import type { LiveCluster, SharedReads } from '../../liveCluster.ts';
import type { Ledger, LimiterId } from '../../model/eviction.ts';
import { type ClusterId, incarnationOf } from '../../model/identity.ts';
import type { Pod } from '../../model/objects.ts';
import { type ConfiguredModes, effectiveModes } from '../../model/ownership.ts';
import type { InstallationSettings, Snapshot } from '../../model/snapshot.ts';
import type { Instant } from '../../model/time.ts';
import type { Verdict } from '../../model/verdict.ts';
import type { Log, Metrics } from '../../ports.ts';
import { type Current, currentRuleRows } from '../../state/currentRules.ts';
import type { PodRow } from '../../state/podRows.ts';
import type { State } from '../../state/state.ts';
import { findStops, installAgain } from '../../steps/stops.ts';
import { type LiveView, liveSnapshot, readLive } from './liveView.ts';
import type { NotKnown } from './ownReads.ts';
import type { ClaimRows } from './round.ts';
import { writeBack } from './writeBack.ts';

export interface RevalidationDependencies {
  readonly settings: InstallationSettings;
  readonly modesOf: (cluster: ClusterId) => ConfiguredModes;
  readonly metrics: Metrics;
  readonly log: Log;
}

export interface RevalidationTurn {
  readonly state: State;
  readonly access: { readonly live: LiveCluster; readonly shared: SharedReads };
}

export type Revalidation =
  /** The live objects still require this eviction; `readAt`: when the oldest of these reads was sent. */
  | { readonly kind: 'Stands'; readonly snapshot: Snapshot; readonly readAt: Instant }
  /** `again`: a retry in a moment may succeed. */
  | { readonly kind: 'Kept'; readonly why: string; readonly again?: true }
  /** The ledger that the live objects require, to replace the row's ledger. */
  | { readonly kind: 'Replanned'; readonly ledger: Ledger }
  /** The row has changed, or did not match the live pod: read it again. */
  | { readonly kind: 'Lost' };

interface Subject {
  readonly row: PodRow;
  readonly limiter: LimiterId;
  readonly now: Instant;
  readonly memory: Current;
  /** If absent, they are read. */
  readonly claimRows: ClaimRows | undefined;
}

/** Attempts; another one is made if the pod or a claim changed during the reads. */
const passes = 3;

export async function revalidate(
  deps: RevalidationDependencies,
  turn: RevalidationTurn,
  of: Subject,
): Promise<Revalidation> {
  for (let pass = 0; pass < passes; pass++) {
    const [stops, view] = await Promise.all([
      findStops(turn, of.now),
      readLive(turn, pass === 0 ? of : { ...of, claimRows: undefined }),
    ]);
    if (stops.kind === 'Stopped') return kept(deps, turn, { ...stops, kind: 'Kept' });
    if (view.kind === 'Kept') return kept(deps, turn, view);
    if (view.kind === 'View') return judge(deps, turn, { ...of, view });
  }
  return { kind: 'Kept', why: `pod ${of.row.key} or one of its claims changed each time it was read`, again: true };
}

/** Counts a failed read in the same metric as failed evictions, so that the same alarm fires. */
function kept(deps: RevalidationDependencies, turn: RevalidationTurn, { why, read }: NotKnown): Revalidation {
  const { cluster } = turn.state;
  if (read === 'Refused') deps.metrics.add('EvictionsRefused', 1, cluster);
  else if (read !== undefined) deps.metrics.add('ApiServerErrors', 1, cluster);
  return read === undefined ? { kind: 'Kept', why } : { kind: 'Kept', why, again: true };
}

async function judge(
  deps: RevalidationDependencies,
  turn: RevalidationTurn,
  by: Subject & { readonly view: LiveView },
): Promise<Revalidation> {
  const { row, limiter, now, view } = by;
  const { cluster } = turn.state;
  // Check this before comparing or writing back: the objects would belong to another cluster than the rows.
  if (view.incarnation !== incarnationOf(cluster))
    return { kind: 'Kept', why: `the API server has another incarnation than the rows: ${view.incarnation}` };
  const unserved = await policiesUnserved(turn.state, view);
  if (unserved !== undefined) return kept(deps, turn, { kind: 'Kept', why: unserved, read: 'NotServed' });
  const snapshot = await liveSnapshot(turn.state, view, { settings: deps.settings, now });
  const modes = effectiveModes(deps.modesOf(cluster), view.memory.modes);
  const verdict: Verdict = view.pod ? evaluatePod(view.pod, partIn('own', snapshot, modes)) : { kind: 'Keep' };
  const ledger = replanned(row, { verdict, snapshot, now, view });
  const undue = undueBecause(limiter, { verdict, snapshot, now, pod: view.pod });
  const slowed = slowedBy(limiter, view, snapshot);
  if (!ledger && undue === undefined && slowed === undefined) {
    const unrecorded = policyUnrecorded(limiter, view, snapshot);
    if (unrecorded !== undefined) return { kind: 'Kept', why: unrecorded, again: true };
    return { kind: 'Stands', snapshot, readAt: view.readAt };
  }
  const { isPod } = await writeBack(deps, turn.state, { row, view, live: turn.access.live, now });
  if (isPod) return { kind: 'Lost' };
  if (verdict.kind === 'Unknown') return { kind: 'Kept', why: verdict.why };
  if (ledger) return { kind: 'Replanned', ledger };
  if (undue !== undefined) return { kind: 'Kept', why: undue };
  return { kind: 'Kept', why: `${slowed}`, again: true };
}

/** `undefined` where the pod is due now, under its mode and with its namespace not paused. */
function undueBecause(
  limiter: LimiterId,
  by: {
    readonly verdict: Verdict;
    readonly snapshot: Snapshot;
    readonly now: Instant;
    readonly pod: Pod | undefined;
  },
): string | undefined {
  const { verdict, snapshot, now, pod } = by;
  const listings = verdict.kind === 'EvictAt' && pod ? delayedBy(waysUnder(pod, snapshot), listingsOf(verdict)) : [];
  const listing = listings.find((one) => one.limiter === limiter);
  if (!listing) return `the API server shows no taint of ${limiter} on its devices`;
  if (listing.dueAt <= now) return undefined;
  return namespaceHold(pod && snapshot.namespaces?.get(pod.namespace))?.message ?? 'not due yet';
}

/** `undefined` where the ledger is up to date. */
function replanned(
  row: PodRow,
  by: { readonly verdict: Verdict; readonly snapshot: Snapshot; readonly now: Instant; readonly view: LiveView },
): Ledger | undefined {
  const { verdict, snapshot, now, view } = by;
  // If the verdict is unknown, the correct ledger is unknown too; the pod is kept.
  if (verdict.kind === 'Unknown') return undefined;
  const plan = planLedger({
    pod: view.pod ? notYetTerminating(view.pod, row) : row.object,
    gone: !view.pod,
    verdict,
    ledger: row.ledger,
    ruleSet: snapshot,
    now,
  });
  return plan.kind === 'Keep' || plan.kind === 'Unchanged' ? undefined : plan.ledger;
}

/**
 * A pod whose deletion the table has not seen yet continues to its PATCH, which finds it terminating: the pod is counted, and no
 * DELETE is sent, as upstream does (docs/reference/rules.md).
 */
function notYetTerminating({ deletionTimestamp: _, ...pod }: Pod, { object }: PodRow): Pod {
  return object.deletionTimestamp === undefined ? pod : { ...pod, deletionTimestamp: object.deletionTimestamp };
}

/** Pods under a deleted policy wait for an operator (ADR 0026); the table records which pods when it learns of the deletion. */
function policyUnrecorded(limiter: LimiterId, { memory }: LiveView, snapshot: Snapshot): string | undefined {
  const known = policyOf(limiter, memory);
  const isLive = snapshot.policies?.some(({ name, isGone }) => name === known?.name && !isGone);
  return known && !isLive ? `EvictionPolicy ${known.name} was deleted, and the table does not know yet` : undefined;
}

/** Policies that the table knows, or knew, do not vanish with their kind for one answer: the watcher has to find the same. */
async function policiesUnserved(state: State, { hasPolicies, memory }: LiveView): Promise<string | undefined> {
  const rows = hasPolicies ? [] : (await currentRuleRows(state)).policies;
  if (rows.every(({ gone }) => gone && memory.notServed.includes('EvictionPolicy'))) return undefined;
  return `EvictionPolicies are not served, but were: ${installAgain}`;
}

/** A token is taken at the rate in the table: if the live rate is lower, the eviction waits until the table has that rate. */
function slowedBy(limiter: LimiterId, { memory }: LiveView, snapshot: Snapshot): string | undefined {
  const [known, live] = [rateWritten(limiter, memory), rateWritten(limiter, snapshot)];
  if (live.perSecond >= known.perSecond && live.burst >= known.burst) return undefined;
  return `the API server shows a lower rate, ${live.perSecond} a second, and the table does not know yet`;
}
