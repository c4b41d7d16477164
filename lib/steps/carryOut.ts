// The two calls that evict one pod, and what is written down about them.
import { formatEviction } from '../decide/eventText.ts';
import { dueOf } from '../decide/limiter.ts';
import { backoffAfter } from '../decide/mode.ts';
import { lastUsable } from '../decide/pace.ts';
import type { ApiAnswers, EvictionOutcome, EvictionRequest, Reservation } from '../model/eviction.ts';
import type { PodRef } from '../model/identity.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import type { ApiFailure } from '../ports.ts';
import { findStops, oldestStop } from '../stages/stops.ts';
import { type PodRow, podRefOf } from '../state/podRows.ts';
import { finish } from './finish.ts';
import { confirm } from './judge.ts';
import { putBack } from './putBack.ts';
import type { ClusterStepDependencies, Turn } from './step.ts';
import { lateness } from './usableSlot.ts';

/** The row's ledger is Deleting and the caller holds its lease; `takenOver` from somebody who may have deleted the pod. */
export async function carryOut(
  deps: ClusterStepDependencies,
  turn: Turn,
  { row, takenOver, readAt }: { readonly row: PodRow; readonly takenOver: boolean; readonly readAt: Instant },
): Promise<{ readonly kind: 'Done' | 'Lost'; readonly late?: boolean }> {
  const { ledger } = row;
  if (!ledger?.reservation) return { kind: 'Done' };
  const pod = podRefOf(row);
  const slot = slotOf(deps, turn, { row, reservation: ledger.reservation, takenOver, readAt });
  const { outcome, answers } = await markAndDelete(turn, {
    pod,
    due: dueOf(ledger.because) ?? ledger.reservation.slot,
    // A ledger without it is from before there were requests: the budgets have to agree.
    request: ledger.request ?? { kind: 'Evict' },
    slot,
    takenOver,
  });
  const closing = { pod: { ...pod, ...nodeOf(row) }, ledger, answers, ...slot.retaken() };
  switch (outcome.kind) {
    case 'Late':
      // What was taken over is late whoever is fast.
      return { ...keptPod(await putBack(deps, turn, { row, why: 'late', answers })), late: !takenOver };
    case 'Stopped':
      return keptPod(await putBack(deps, turn, { row, why: outcome.why, answers }));
    case 'Blocked': {
      const times = (ledger.blocked?.times ?? 0) + 1;
      const blocked = { times, until: deps.clock.now() + backoffAfter(times) };
      return keptPod(await putBack(deps, turn, { row, why: outcome.why, answers, blocked }));
    }
    case 'Evicted': {
      deps.metrics.add('PodsEvicted', 1, turn.state.cluster);
      measure(deps, turn, { ...row, ledger: { ...ledger, ...slot.retaken() } });
      // Before the row is closed, for whoever finds it closed has nothing left to record. The Event's name makes it one.
      await turn.access.events.record(formatEviction({ pod, ledger, at: deps.clock.now() }));
      await finish(deps, turn.state, { ...closing, row, outcome: 'Evicted' });
      return { kind: 'Done', late: slot.retaken().reservation !== undefined };
    }
    case 'Gone':
      // Whoever held the lease before may have deleted it and ended before it could write that down (protocol 11).
      if (takenOver) await turn.access.events.record(formatEviction({ pod, ledger, at: deps.clock.now() }));
      await finish(deps, turn.state, {
        ...closing,
        row,
        // Upstream counts a pod that it finds terminating, and records nothing on it (semantics.md row 85).
        outcome: takenOver || outcome.why === 'Terminating' ? 'OutcomeUnknown' : 'Gone',
      });
      return { kind: 'Done' };
    case 'RetryLater':
    case 'Refused':
      return keptPod(await failed(deps, turn, { row, outcome, answers }));
    default:
      return outcome satisfies never;
  }
}

/** The latencies that an operator watches: behind the slot, behind the taint, and the latter where nobody had to wait. */
function measure(deps: ClusterStepDependencies, turn: Turn, { object, ledger }: PodRow): void {
  if (!ledger?.reservation) return;
  const now = deps.clock.now();
  const { slot, reservedAt, limiter } = ledger.reservation;
  deps.metrics.add('PaceError', Math.max(0, now - slot), turn.state.cluster);
  deps.metrics.add('DeletionDuration', Math.max(0, now - (dueOf(ledger.because) ?? slot)), turn.state.cluster);
  const due = ledger.listings.find((one) => one.limiter === limiter)?.dueAt;
  if (due === undefined || slot > reservedAt) return;
  // A pod that came after the taint was due when it came.
  const since = Math.max(due, object.creationTimestamp ?? due);
  deps.metrics.add('FirstDeleteLatency', Math.max(0, now - since), turn.state.cluster);
}

type NotNow = { readonly kind: 'Late' } | { readonly kind: 'Stopped'; readonly why: string };

interface Slot {
  /** Why the DELETE may not be sent now; `undefined` where it may, after a delay by another slot and after another look. */
  readonly keptBy: () => Promise<NotNow | undefined>;
  /** Empty while it is the first one. */
  readonly retaken: () => { readonly reservation?: Reservation };
}

/** No DELETE rests on what was asked of the API server longer ago (docs/live-reads.md). */
const oldestRead: Milliseconds = 1000;

/** Delays of one eviction; who is held up more often goes back to its limiters. */
const confirmations = 3;

/** A row that was taken over is late by now, and by whom is not known. */
function slotOf(
  deps: ClusterStepDependencies,
  turn: Turn,
  by: {
    readonly row: PodRow;
    readonly reservation: Reservation;
    readonly takenOver: boolean;
    readonly readAt: Instant;
  },
): Slot {
  let { reservation, readAt } = by;
  const isLate = () => {
    const now = deps.clock.now();
    return now > lastUsable(reservation, lateness) || now - readAt > oldestRead || now < readAt;
  };
  return {
    async keptBy() {
      for (let i = 0; i < confirmations && isLate() && !by.takenOver; i++) {
        const again = await confirm(deps, turn, by.row);
        if (!again) return { kind: 'Late' };
        ({ reservation, readAt } = again);
      }
      // The last thing that is asked: what was late before is late now.
      const stops = await findStops(turn, deps.clock.now());
      if (stops.kind === 'Stopped') return { kind: 'Stopped', why: stops.why };
      const isOld = deps.clock.now() - stops.readAt > oldestStop;
      return isLate() || isOld ? { kind: 'Late' } : undefined;
    },
    retaken: () => (reservation === by.reservation ? {} : { reservation }),
  };
}

/**
 * PATCH and DELETE, with the slot looked at again between them: a function may be paused anywhere (protocol 15). For a row that
 * was taken over the PATCH is sent all the same, since the answer tells whether the pod is already on its way.
 */
async function markAndDelete(
  turn: Turn,
  by: { pod: PodRef; due: Instant; request: EvictionRequest; slot: Slot; takenOver: boolean },
): Promise<{ readonly outcome: Attempt; readonly answers: ApiAnswers }> {
  const before = by.takenOver ? undefined : await by.slot.keptBy();
  if (before) return { outcome: before, answers: {} };
  const { evictor } = turn.access;
  const marked = await evictor.mark(by.pod, by.due);
  const patch = marked.status === undefined ? {} : { patch: marked.status };
  if (marked.kind === 'RetryLater' || marked.kind === 'Refused')
    return { outcome: { ...marked, deleteSent: false }, answers: patch };
  if (marked.kind === 'Gone') return { outcome: marked, answers: patch };
  const between = await by.slot.keptBy();
  if (between) return { outcome: between, answers: patch };
  const evicts = by.request.kind === 'Evict';
  const grace = by.request.gracePeriodSeconds;
  const deleted = await (evicts ? evictor.evict(by.pod, grace) : evictor.delete(by.pod, grace));
  const { status } = deleted;
  const answers = status === undefined ? patch : { ...patch, [evicts ? 'eviction' : 'delete']: status };
  if (deleted.kind === 'RetryLater' || deleted.kind === 'Refused')
    return { outcome: { ...deleted, deleteSent: true }, answers };
  return { outcome: deleted, answers };
}

type Attempt =
  | Exclude<EvictionOutcome, ApiFailure>
  | NotNow
  | { readonly kind: 'Blocked'; readonly why: string }
  | (ApiFailure & { readonly deleteSent: boolean });

function nodeOf({ object }: PodRow): { readonly nodeName?: string } {
  return object.nodeName === undefined ? {} : { nodeName: object.nodeName };
}

/**
 * A DELETE without an answer may have worked: the ledger stays Deleting, and the sweep has the pod looked at again when the
 * lease is over. Everything else goes back to its limiters.
 */
async function failed(
  deps: ClusterStepDependencies,
  turn: Turn,
  by: { row: PodRow; outcome: ApiFailure & { readonly deleteSent: boolean }; answers: ApiAnswers },
): Promise<{ readonly kind: string }> {
  const { row, outcome, answers } = by;
  deps.metrics.add(outcome.kind === 'Refused' ? 'EvictionsRefused' : 'ApiServerErrors', 1, turn.state.cluster);
  deps.log.error('pod not evicted', { cluster: turn.state.cluster, pod: row.key, uid: row.uid, why: outcome.why });
  if (outcome.kind === 'RetryLater' && outcome.deleteSent) return { kind: 'Done' };
  return putBack(deps, turn, { row, why: outcome.why, answers });
}

function keptPod(judged: { readonly kind: string }): { kind: 'Done' | 'Lost' } {
  return { kind: judged.kind === 'Lost' ? 'Lost' : 'Done' };
}
