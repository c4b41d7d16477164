// Checks one pod right before its intent, and again where calls took long: revalidation, then the gates with the live rules and policies.
import type { LimiterFacts } from '../../gates/gate.ts';
import { roomOf } from '../../gates/index.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import type { Instant, Milliseconds } from '../../model/time.ts';
import { readLimiterFacts } from '../../steps/limiterFacts.ts';
import { readAround } from './readAround.ts';
import type { Replanned } from './replanned.ts';
import { revalidate } from './revalidate.ts';
import type { AskedRow, ClaimRows, Known, Round } from './round.ts';

/** Maximum age of pauses and heartbeat, the same as that of shared reads. */
const factsInCheck: Milliseconds = 500;

export type Check =
  | { readonly kind: 'Stands'; readonly known: Known; readonly snapshot: Snapshot; readonly readAt: Instant }
  | { readonly kind: 'Kept' }
  | Replanned
  | { readonly kind: 'Lost' };

/** Revalidates the pod against the API server, then asks the gates with the live rules and policies. */
export async function check(round: Round, row: AskedRow, claimRows?: ClaimRows): Promise<Check> {
  const { deps, turn, limiter } = round;
  const now = deps.clock.now();
  const before = round.lastFacts();
  // In parallel with the facts; what is read here is shared with the revalidation, which reports a failure.
  if (before && claimRows)
    readAround(turn, { row, memory: before.ruleSet, claimRows, since: now }).catch(() => undefined);
  const known = await round.facts();
  if (roomOf(withOwnPermit(known.facts, row, known.epoch)).most < 1) return { kind: 'Kept' };
  const found = await revalidate(deps, turn, { row, limiter, now, memory: known.ruleSet, claimRows });
  if (found.kind === 'Stands') return checkLive(round, row, { known, since: now, ...found });
  if (found.kind !== 'Kept') return found;
  if (found.again) round.retries.lookSoon();
  noteKept(round, row, found.why);
  return { kind: 'Kept' };
}

async function checkLive(
  round: Round,
  row: AskedRow,
  {
    known,
    since,
    snapshot,
    readAt,
  }: { readonly known: Known; readonly since: Instant; readonly snapshot: Snapshot; readonly readAt: Instant },
): Promise<Check> {
  const { deps, turn, limiter } = round;
  // What this check has read itself is not read again, however long the calls took: the DELETE has the limit of its age.
  const isOwn = known.at >= since || deps.clock.now() - known.at < factsInCheck;
  const { isWatched, pauses } = known.facts;
  const shared = isOwn ? { value: { isWatched, pauses }, at: known.at } : undefined;
  const by = { limiter, ruleSet: snapshot, maxAge: factsInCheck, ...(shared ? { shared } : {}) };
  const live = await readLimiterFacts(deps, turn.state, by);
  // Only the table knows the modes.
  const facts = withOwnPermit({ ...live.facts, modes: known.facts.modes }, row, known.epoch);
  const { most, because } = roomOf(facts);
  if (most >= 1)
    return { kind: 'Stands', known: { ...known, facts }, snapshot, readAt: Math.min(readAt, known.at, live.at) };
  noteKept(round, row, because[0]?.message ?? 'held');
  return { kind: 'Kept' };
}

/** The canary permit that the pod's own intent holds is free for it, as long as the canary has as many pods. */
function withOwnPermit(facts: LimiterFacts, { ledger: { token } }: AskedRow, epoch: number): LimiterFacts {
  const { canary } = facts;
  const seat = token?.epoch === epoch ? token.canarySeat : undefined;
  if (seat === undefined || canary?.state.kind !== 'Running') return facts;
  const { state, policy } = canary;
  if (state.free.includes(seat) || seat >= (policy.canary?.pods ?? 0)) return facts;
  return { ...facts, canary: { ...canary, state: { ...state, free: [...state.free, seat] } } };
}

function noteKept({ deps, turn }: Round, row: AskedRow, why: string): void {
  deps.log.info('pod kept', { cluster: turn.state.cluster, pod: row.key, uid: row.uid, why });
}
