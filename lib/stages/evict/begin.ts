// Turns a candidate into an intent: revalidation, gates, and the one write after which the pod may be deleted.
import { graceFor } from '../../decide/grace.ts';
import { groundsOf } from '../../decide/grounds.ts';
import { dueOf } from '../../decide/limiter.ts';
import { requestFor, waysUnder } from '../../decide/mode.ts';
import { policyOf } from '../../decide/rate.ts';
import { askedOf, type Kept, scopeKey } from '../../gates/index.ts';
import type { EvictionRequest, Ledger, LimiterId, Token } from '../../model/eviction.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import type { Instant, Milliseconds } from '../../model/time.ts';
import { chooseSeat, takeSeat } from '../../state/canaryRows.ts';
import { podRefOf, writeLedger } from '../../state/podRows.ts';
import { openRecord } from '../../state/recordRows.ts';
import type { State } from '../../state/state.ts';
import { readStopsAhead } from '../../steps/stops.ts';
import type { Write } from '../../table.ts';
import { admitPod, oneByOne } from './admit.ts';
import { type Check, check } from './check.ts';
import { keepFromLoop } from './putBack.ts';
import { type Replanned, writeReplanned } from './replanned.ts';
import type { AskedRow, BegunRow, ClaimRows, Known, Round } from './round.ts';

/** Lease of one invocation on a pod; longer than the API client's timeouts. */
export const actsAloneFor: Milliseconds = 20_000;

/** How long the pods of a full scope are passed over. */
const fullFor: Milliseconds = 1000;

export type Begun =
  /** `readAt`: when the oldest read of the decision was sent. */
  | {
      readonly kind: 'Go';
      readonly row: BegunRow;
      readonly readAt: Instant;
      readonly claimRows: ClaimRows | undefined;
    }
  /** The pod is kept; another pod may use the token. */
  | { readonly kind: 'Stays' }
  /** Another process changed one of the rows; the caller must read the pod again. */
  | { readonly kind: 'Lost' };

export async function begin(
  round: Round,
  by: { readonly row: AskedRow; readonly token: Token; readonly claimRows: ClaimRows | undefined },
): Promise<Begun> {
  const { row, token, claimRows } = by;
  const { deps, turn } = round;
  const checked = await check(round, row, claimRows);
  if (checked.kind !== 'Stands') return checked.kind === 'Kept' ? { kind: 'Stays' } : settleCheck(round, row, checked);
  const { known, snapshot, readAt } = checked;
  const scopes = askedOf({ pod: row.object, ledger: row.ledger }, known.facts).scopes.map(
    (scope) => `${turn.state.cluster}|${scopeKey(scope)}`,
  );
  return oneByOne(deps, scopes, () => openOrKeep(round, { row, token, known, snapshot, readAt, claimRows }));
}

/** Asks the gates for one pod, and writes the intent if they admit the pod. */
async function openOrKeep(
  round: Round,
  by: Omit<Extract<Check, { kind: 'Stands' }>, 'kind'> & {
    readonly row: AskedRow;
    readonly token: Token;
    readonly claimRows: ClaimRows | undefined;
  },
): Promise<Begun> {
  const { deps, turn, limiter } = round;
  const { row, token, known, snapshot, readAt, claimRows } = by;
  const admission = await admitPod(deps, turn.state, {
    row,
    facts: { ...known.facts, now: deps.clock.now() },
    snapshot,
  });
  if (admission.kind === 'Kept') return keep(round, row, admission);
  const seat = seatFor(round, known, row.uid);
  if (seat === 'Full') return { kind: 'Stays' };
  const request = requestOf(row.ledger, { row, limiter, snapshot, now: deps.clock.now() });
  const opened = await open(round, { row, token, snapshot, request, seat, writes: admission.writes });
  if (opened) return { kind: 'Go', row: opened, readAt, claimRows };
  if (seat !== undefined) round.seats.delete(seat);
  return { kind: 'Lost' };
}

async function keep(round: Round, row: AskedRow, { full, loop }: Kept): Promise<Begun> {
  if (full) round.full.set(scopeKey(full), round.deps.clock.now() + fullFor);
  if (!loop) return { kind: 'Stays' };
  const kept = await keepFromLoop(round, { row, loop });
  return kept.kind === 'Lost' ? { kind: 'Lost' } : { kind: 'Stays' };
}

async function settleCheck(
  round: Round,
  row: AskedRow,
  checked: Replanned | { readonly kind: 'Lost' },
): Promise<Begun> {
  if (checked.kind === 'Lost') return checked;
  if ((await writeReplanned(round, row, checked)) === 'Lost') return { kind: 'Lost' };
  // The pod is pending for other reasons than the row showed; the next attempt reads the new row.
  return { kind: checked.ledger.state === 'Pending' ? 'Lost' : 'Stays' };
}

/** A free canary permit that no other pod of this invocation is about to take. */
function seatFor(round: Round, { facts }: Known, uid: string): number | 'Full' | undefined {
  if (!facts.canary) return undefined;
  const { state } = facts.canary;
  const free = state.kind === 'Running' ? state.free.filter((seat) => !round.seats.has(seat)) : [];
  const seat = free.length === 0 ? undefined : chooseSeat(free, uid);
  if (seat === undefined) return 'Full';
  round.seats.add(seat);
  return seat;
}

export function requestOf(
  { because }: Ledger,
  by: {
    readonly row: AskedRow;
    readonly limiter: LimiterId;
    readonly snapshot: Snapshot;
    readonly now: Instant;
  },
): EvictionRequest {
  const { row, limiter, snapshot, now } = by;
  const due = dueOf(because) ?? now;
  const kind = requestFor(waysUnder(row.object, snapshot)(limiter), { due, now });
  const gracePeriodSeconds = graceFor(row.object, policyOf(limiter, snapshot));
  return { kind, ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }) };
}

/** Writes the intent. Only after this write may its writer delete the pod. */
async function open(
  { deps, turn, limiter }: Round,
  by: {
    readonly row: AskedRow;
    readonly token: Token;
    readonly snapshot: Snapshot;
    readonly request: EvictionRequest;
    readonly seat: number | undefined;
    readonly writes: readonly Write[];
  },
): Promise<BegunRow | undefined> {
  const { row, request, snapshot, seat } = by;
  const now = deps.clock.now();
  const token = seat === undefined ? by.token : { ...by.token, canarySeat: seat };
  const openedAt = row.ledger.openedAt ?? now;
  const leaseUntil = now + actsAloneFor;
  const ledger = { ...row.ledger, token, state: 'Deleting', request, leaseUntil, openedAt } as const;
  readStopsAhead(turn, now);
  const grounds = groundsOf({ limiter, because: ledger.because, snapshot, now });
  const written = await writeLedger(turn.state, row, {
    ledger,
    now,
    with: [
      ...openRecord(turn.state, podRefOf(row), { ledger, grounds, now, days: deps.recordDays }),
      ...by.writes,
      ...permit(turn.state, { token, row, now }),
    ],
  });
  return written.kind === 'Written' ? { ...written.row, ledger } : undefined;
}

function permit(
  state: State,
  { token, row, now }: { readonly token: Token; readonly row: AskedRow; readonly now: Instant },
): readonly Write[] {
  const { canarySeat: seat, limiter, epoch } = token;
  return seat === undefined ? [] : [takeSeat(state, { limiter, epoch }, { seat, uid: row.uid, now })];
}
