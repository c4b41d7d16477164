// Sends PATCH and DELETE for one pod with an intent, and closes the intent or puts the pod back.
import type { StartOutcome } from '../../decide/concurrency.ts';
import { dueOf } from '../../decide/limiter.ts';
import { backoffAfter, retryAfter } from '../../decide/mode.ts';
import { lastUse } from '../../decide/token.ts';
import type { ApiAnswers, EvictionOutcome } from '../../model/eviction.ts';
import type { Instant, Milliseconds } from '../../model/time.ts';
import type { ApiFailure } from '../../ports.ts';
import { podRefOf } from '../../state/podRows.ts';
import { findStops, oldestStop, readStopsAhead } from '../../steps/stops.ts';
import { measure } from './measure.ts';
import { putBack } from './putBack.ts';
import { type Grant, type Intent, leaseLeft, readFor, renew } from './renew.ts';
import type { BegunRow, Round } from './round.ts';

/** After this many renewals, a delayed pod is put back to its limiters. */
const renewals = 2;

/** Maximum age of the stop read before each of the two calls; the greater one if everything was read again because calls took long. */
const [youngStop, usableStop]: readonly [Milliseconds, Milliseconds] = [250, oldestStop - 100];

/** Why a pod is put back whose token or reads are too old. */
const tooLate = 'its token or the reads before its DELETE were too old';

export async function carryOut(round: Round, begun: Intent): Promise<StartOutcome | undefined> {
  const { deps, turn, closer } = round;
  const { row } = begun;
  const { ledger } = row;
  let grant: Grant = { token: ledger.token, readAt: begun.readAt };
  const isLeased = () => deps.clock.now() < (ledger.leaseUntil ?? 0) - leaseLeft;
  /** `undefined` where token or reads are too old. */
  const look = async (stopFor: Milliseconds): Promise<{ readonly keptBy?: string } | undefined> => {
    if (!isLeased()) return { keptBy: tooLate };
    if (!isGood(grant, deps.clock.now())) return undefined;
    // Read EvictionStops last: any earlier read is already older.
    const stops = await findStops(turn, deps.clock.now(), stopFor);
    if (stops.kind === 'Stopped') return { keptBy: stops.why };
    const now = deps.clock.now();
    return isLeased() && isGood(grant, now) && now - stops.readAt <= oldestStop ? {} : undefined;
  };
  const keptBy = async (): Promise<string | undefined> => {
    let found = await look(youngStop);
    for (let renewed = 0; !found && renewed < renewals; renewed++) {
      const next = await renew(round, begun, grant);
      if (!next) return tooLate;
      grant = next;
      // The renewal asked for EvictionStops together with the pod.
      found = await look(usableStop);
    }
    return found ? found.keptBy : tooLate;
  };
  const { outcome, answers } = await markAndDelete(round, row, keptBy);
  const wasHeldUp = grant.token !== ledger.token;
  const closing = { pod: podRefOf(row), row, answers, ...(wasHeldUp ? { token: grant.token } : {}) };
  const { cluster } = turn.state;
  // The table decides whether the canary permit is free again; then another pod of this round may take the permit.
  if (outcome.kind !== 'Evicted' && ledger.token.canarySeat !== undefined) round.seats.delete(ledger.token.canarySeat);
  switch (outcome.kind) {
    case 'NotNow':
      await putBack(deps, turn, { row, why: outcome.why, answers });
      return 'Slow';
    case 'Blocked': {
      const times = (ledger.blocked?.times ?? 0) + 1;
      const blocked = { times, until: deps.clock.now() + backoffAfter(times) };
      await putBack(deps, turn, { row, why: outcome.why, answers, change: { blocked } });
      round.retries.lookAt(blocked.until);
      return 'InTime';
    }
    case 'Evicted':
      deps.metrics.add('PodsEvicted', 1, cluster);
      round.retries.worked();
      measure(deps, cluster, { row, token: grant.token });
      await closer.add({ ...closing, outcome: 'Evicted' });
      return wasHeldUp ? 'Slow' : 'InTime';
    case 'Gone':
      // Upstream counts a pod that is already terminating, and records no Event on it.
      await closer.add({ ...closing, outcome: outcome.why === 'Terminating' ? 'OutcomeUnknown' : 'Gone' });
      return undefined;
    case 'RetryLater':
    case 'Refused':
      return failed(round, { row, outcome, answers });
    default:
      return outcome satisfies never;
  }
}

function isGood({ token, readAt }: Grant, now: Instant): boolean {
  return now <= lastUse(token) && now - readAt < readFor;
}

type Attempt =
  | Exclude<EvictionOutcome, ApiFailure>
  | { readonly kind: 'NotNow'; readonly why: string }
  | { readonly kind: 'Blocked'; readonly why: string }
  | (ApiFailure & { readonly deleteSent: boolean });

/** Checks token and reads before each of the two calls, because AWS Lambda may suspend a function at any point. */
async function markAndDelete(
  { deps, turn }: Round,
  row: BegunRow,
  keptBy: () => Promise<string | undefined>,
): Promise<{ readonly outcome: Attempt; readonly answers: ApiAnswers }> {
  const { ledger } = row;
  const pod = podRefOf(row);
  const { evictor } = turn.access;
  const kept = await keptBy();
  if (kept !== undefined) return { outcome: { kind: 'NotNow', why: kept }, answers: {} };
  const marking = evictor.mark(pod, dueOf(ledger.because) ?? ledger.token.at);
  readStopsAhead(turn, deps.clock.now());
  const marked = await marking;
  const patch = marked.status === undefined ? {} : { patch: marked.status };
  if (marked.kind === 'RetryLater' || marked.kind === 'Refused')
    return { outcome: { ...marked, deleteSent: false }, answers: patch };
  if (marked.kind === 'Gone') return { outcome: marked, answers: patch };
  const keptSince = await keptBy();
  if (keptSince !== undefined) return { outcome: { kind: 'NotNow', why: keptSince }, answers: patch };
  const { kind = 'Evict', gracePeriodSeconds: grace } = ledger.request ?? {};
  const deleted = await (kind === 'Evict' ? evictor.evict(pod, grace) : evictor.delete(pod, grace));
  const { status } = deleted;
  const answers = status === undefined ? patch : { ...patch, [kind === 'Evict' ? 'eviction' : 'delete']: status };
  if (deleted.kind === 'RetryLater' || deleted.kind === 'Refused')
    return { outcome: { ...deleted, deleteSent: status !== 429 }, answers };
  return { outcome: deleted, answers };
}

/**
 * A DELETE without an answer may have succeeded: the intent stays open, and is settled from the live pod after its lease ends.
 * After any other failure the pod is put back with a back-off, so that other pods are evicted first.
 */
async function failed(
  { deps, turn, retries }: Round,
  by: {
    readonly row: BegunRow;
    readonly outcome: ApiFailure & { readonly deleteSent: boolean };
    readonly answers: ApiAnswers;
  },
): Promise<StartOutcome | undefined> {
  const { row, outcome, answers } = by;
  const { cluster } = turn.state;
  deps.metrics.add(outcome.kind === 'Refused' ? 'EvictionsRefused' : 'ApiServerErrors', 1, cluster);
  deps.log.error('pod not evicted', { cluster, pod: row.key, uid: row.uid, why: outcome.why });
  if (outcome.kind === 'RetryLater' && outcome.deleteSent) return 'Slow';
  const times = (row.ledger.failed?.times ?? 0) + 1;
  const until = deps.clock.now() + retryAfter(times);
  await putBack(deps, turn, { row, why: outcome.why, answers, change: { failed: { times, until } } });
  retries.lookAt(until);
  return outcome.kind === 'RetryLater' ? 'Slow' : undefined;
}
