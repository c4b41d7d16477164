// The evictor's last look at one pod: may it go now, under this slot, for a reason that still holds?

import { graceFor } from '../decide/grace.ts';
import { type Grounds, groundsOf } from '../decide/grounds.ts';
import { dueOf } from '../decide/limiter.ts';
import { requestFor, waysUnder } from '../decide/mode.ts';
import { policyOf, rateOf } from '../decide/rate.ts';
import { isSame } from '../decide/same.ts';
import type { EvictionRequest, Ledger, LimiterId, Reservation } from '../model/eviction.ts';
import { sourceOf } from '../model/ownership.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Instant } from '../model/time.ts';
import { type Revalidation, revalidate } from '../stages/evict/revalidate.ts';
import { readModes } from '../state/modeRows.ts';
import { type PodRow, podRefOf, writeLedger } from '../state/podRows.ts';
import { openRecord } from '../state/recordRows.ts';
import { announce } from './announce.ts';
import { isUnapproved } from './approval.ts';
import { hasNewProblem } from './evaluatePods.ts';
import { mayAct } from './mayAct.ts';
import { modesNow } from './ownedSnapshot.ts';
import { findPlace, type Place } from './place.ts';
import { keepFromLoop, putBack } from './putBack.ts';
import type { ClusterStepDependencies, Turn } from './step.ts';
import { lowerModes } from './switchModes.ts';
import { usableReservation } from './usableSlot.ts';

/** With the slot by which it is to go. */
interface ReservedRow extends PodRow {
  readonly ledger: Ledger & { readonly reservation: Reservation };
}

/** For how long one evictor may act on a pod alone; the API client's time-outs are shorter. */
const leaseDuration = 20_000;

/** What has to be left of it for another attempt at the DELETE, with all that this may take. */
const leaseToConfirm = 15_000;

export type Judgement =
  /** The ledger says Deleting, and the caller alone may act. `takenOver`: somebody else was about to delete before. */
  | { readonly kind: 'Go'; readonly row: PodRow; readonly takenOver: boolean; readonly readAt: Instant }
  /** Nothing to do for this message. */
  | { readonly kind: 'Done' }
  /** Somebody else wrote the row meanwhile: read again. */
  | { readonly kind: 'Lost' };

export async function judge(deps: ClusterStepDependencies, turn: Turn, row: PodRow): Promise<Judgement> {
  const { ledger } = row;
  const now = deps.clock.now();
  // Switched off while somebody was about to delete: what came of it is found out by looking, never by another DELETE.
  if (ledger?.state === 'Deleting')
    return (await isOwned(deps, turn, ledger)) ? takeOver(deps, turn, row) : { kind: 'Done' };
  if (ledger?.state !== 'Reserved' || !ledger.reservation) return { kind: 'Done' };
  if (ledger.reservation.slot > now) return { kind: 'Done' };
  if (!(await mayAct(deps, turn.state, now))) return putBack(deps, turn, { row, why: 'held' });
  const reservation = await usableReservation(deps, turn.state, { reservation: ledger.reservation, now });
  if (!reservation) return putBack(deps, turn, { row, why: 'late' });
  return judgeInTime(deps, turn, reservedBy(row, { ledger, reservation }));
}

/** Against the API server; and nothing that the live rules and policies hold goes. */
async function lookAgain(deps: ClusterStepDependencies, turn: Turn, row: ReservedRow): Promise<Revalidation> {
  const now = deps.clock.now();
  const { limiter } = row.ledger.reservation;
  await lowerModes(deps, turn.state, (await readModes(turn.state)).modes);
  const found = await revalidate(deps, turn, { row, limiter, now });
  if (found.kind !== 'Stands') return found;
  const { snapshot } = found;
  const isStill = !(rateOf(limiter, snapshot, now).perSecond > 0);
  if (isStill || (await isUnapproved(deps, turn.state, { limiter, ruleSet: snapshot })))
    return { kind: 'Kept', why: 'held' };
  return found;
}

function reservedBy(
  row: PodRow,
  { ledger, reservation }: { readonly ledger: Ledger; readonly reservation: Reservation },
): ReservedRow {
  return { ...row, ledger: { ...ledger, state: 'Reserved', reservation } };
}

/** Everything but the slot, which is good. */
async function judgeInTime(deps: ClusterStepDependencies, turn: Turn, row: ReservedRow): Promise<Judgement> {
  const now = deps.clock.now();
  const found = await lookAgain(deps, turn, row);
  if (found.kind === 'Lost') return { kind: 'Lost' };
  if (found.kind === 'Kept') return putBack(deps, turn, { row, why: found.why });
  if (found.kind === 'Replanned') return writeReplanned(deps, turn, { row, ledger: found.ledger });
  const { snapshot, readAt } = found;
  const { because, reservation } = row.ledger;
  const { limiter } = reservation;
  const place = await findPlace(deps, turn.state, { limiter, ruleSet: snapshot, row });
  if (place.kind === 'Full') return putBack(deps, turn, { row, why: place.why });
  if (place.kind === 'Looping') return keepFromLoop(deps, turn, { row, loop: place.loop, ruleSet: snapshot });
  const grounds = groundsOf({ limiter, because, snapshot, now });
  return begin(deps, turn, { row, grounds, place, readAt, request: requestOf(row, { snapshot, now }) });
}

/** The slot by which the pod may go, and when what says so was read. */
export interface Confirmed {
  readonly reservation: Reservation;
  readonly readAt: Instant;
}

/**
 * For an eviction that was held up between its intent and its DELETE: the slot by which it may still go, or `undefined` where the
 * pod has to go back to its limiters. What was read before the delay counts no more (protocol 15), so everything is read again; a
 * pod that would now go in another way goes back, too.
 */
export async function confirm(deps: ClusterStepDependencies, turn: Turn, row: PodRow): Promise<Confirmed | undefined> {
  const { ledger } = row;
  const now = deps.clock.now();
  if (!ledger?.reservation || (ledger.leaseUntil ?? 0) - now < leaseToConfirm) return undefined;
  if (!(await mayAct(deps, turn.state, now))) return undefined;
  const reservation = await usableReservation(deps, turn.state, { reservation: ledger.reservation, now });
  if (!reservation) return undefined;
  const reserved = reservedBy(row, { ledger, reservation });
  const found = await lookAgain(deps, turn, reserved);
  if (found.kind !== 'Stands') return undefined;
  return isSame(requestOf(reserved, { snapshot: found.snapshot, now }), ledger.request)
    ? { reservation, readAt: found.readAt }
    : undefined;
}

function requestOf(
  { object, ledger }: ReservedRow,
  { snapshot, now }: { readonly snapshot: Snapshot; readonly now: number },
): EvictionRequest {
  const { limiter } = ledger.reservation;
  const due = dueOf(ledger.because) ?? now;
  const kind = requestFor(waysUnder(object, snapshot)(limiter), { due, now });
  const gracePeriodSeconds = graceFor(object, policyOf(limiter, snapshot));
  return { kind, ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }) };
}

async function isOwned(deps: ClusterStepDependencies, turn: Turn, { because }: Ledger): Promise<boolean> {
  const modes = await modesNow(deps, turn.state);
  return because.some(({ origin }) => modes[sourceOf(origin)] === 'own');
}

async function writeReplanned(
  deps: ClusterStepDependencies,
  turn: Turn,
  by: { row: PodRow; ledger: Ledger },
): Promise<Judgement> {
  const now = deps.clock.now();
  const written = await writeLedger(turn.state, by.row, { ledger: by.ledger, now });
  if (written.kind === 'Lost') return { kind: 'Lost' };
  const cancelled =
    by.ledger.state === 'Cancelled' && by.row.ledger ? [{ row: written.row, ledger: by.row.ledger }] : [];
  const wake = new Map<LimiterId, number>(
    by.ledger.state === 'Pending' ? by.ledger.listings.map((one) => [one.limiter, one.dueAt]) : [],
  );
  const problems = hasNewProblem(by.row, written.row) ? [written.row] : [];
  await announce(deps, turn.state, { wake, cancelled, problems, reserved: [], rules: new Set(), plans: new Set() });
  return { kind: 'Done' };
}

/** The intent: after this write, and only after it, the holder may delete (protocol 11). */
async function begin(
  deps: ClusterStepDependencies,
  turn: Turn,
  by: {
    readonly row: PodRow;
    readonly grounds: Grounds;
    readonly place: Extract<Place, { kind: 'Place' }>;
    readonly request: EvictionRequest;
    readonly readAt: Instant;
  },
): Promise<Judgement> {
  const { row, grounds, request } = by;
  if (!row.ledger?.reservation) return { kind: 'Done' };
  const now = deps.clock.now();
  const openedAt = row.ledger.openedAt ?? now;
  const { writes, canarySeat } = by.place;
  const reservation = { ...row.ledger.reservation, ...(canarySeat === undefined ? {} : { canarySeat }) };
  const leaseUntil = now + leaseDuration;
  const ledger: Ledger = { ...row.ledger, reservation, state: 'Deleting', request, leaseUntil, openedAt };
  const pod = podRefOf(row);
  const written = await writeLedger(turn.state, row, {
    ledger,
    now,
    with: [...openRecord(turn.state, pod, { ledger, grounds, now, days: deps.recordDays }), ...writes],
  });
  return written.kind === 'Written'
    ? { kind: 'Go', row: written.row, takenOver: false, readAt: by.readAt }
    : { kind: 'Lost' };
}

/** Somebody else's delete: left alone while its lease runs, taken over after it. */
export async function takeOver(deps: ClusterStepDependencies, turn: Turn, row: PodRow): Promise<Judgement> {
  const now = deps.clock.now();
  if (!row.ledger || (row.ledger.leaseUntil ?? 0) > now) return { kind: 'Done' };
  const ledger: Ledger = { ...row.ledger, leaseUntil: now + leaseDuration };
  const written = await writeLedger(turn.state, row, { ledger, now });
  return written.kind === 'Written' ? { kind: 'Go', row: written.row, takenOver: true, readAt: now } : { kind: 'Lost' };
}
