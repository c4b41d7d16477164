// Gives a slot up: the pod goes back to its limiters, with what keeps it where something does.
import { keptBy } from '../decide/loop.ts';
import { formatLoop } from '../decide/loopText.ts';
import { policyOf, type RuleSet } from '../decide/rate.ts';
import type { ApiAnswers, Ledger, Loop } from '../model/eviction.ts';
import { type PodRow, podRefOf, writeLedger } from '../state/podRows.ts';
import { closeRecord } from '../state/recordRows.ts';
import { unseat } from './canary.ts';
import type { ClusterStepDependencies, Turn } from './step.ts';

/** `Lost`: somebody else wrote the row meanwhile. */
export interface PutBack {
  readonly kind: 'Done' | 'Lost';
}

/** Rounds of pace and evict on one chain of messages; AWS Lambda stops a chain after about sixteen invocations. */
const longestChain = 4;

/** Back to its limiters: the slot is lost, the pod is not. An intent that was written is closed as abandoned. */
export async function putBack(
  deps: ClusterStepDependencies,
  turn: Turn,
  by: { row: PodRow; why: string; answers?: ApiAnswers; blocked?: Ledger['blocked']; loops?: readonly Loop[] },
): Promise<PutBack> {
  const { row, blocked, loops, why, answers } = by;
  if (!row.ledger) return { kind: 'Done' };
  const { reservation: _, leaseUntil: __, request: ___, ...open } = row.ledger;
  const rest = {
    ...open,
    ...(blocked ? { blocked, listings: open.listings.map((one) => ({ ...one, dueAt: blocked.until })) } : {}),
    ...(loops ? { loops, listings: open.listings.map((one) => keptBy(one, loops)) } : {}),
  };
  const now = deps.clock.now();
  const pod = podRefOf(row);
  const abandoned =
    row.ledger.state === 'Deleting'
      ? [
          ...closeRecord(turn.state, pod, { outcome: 'Abandoned', why, now, ...(answers ? { answers } : {}) }),
          ...unseat(turn.state, row.ledger.reservation, { uid: row.uid, deleted: false, now }),
        ]
      : [];
  const written = await writeLedger(turn.state, row, { ledger: { ...rest, state: 'Pending' }, now, with: abandoned });
  if (written.kind === 'Lost') return { kind: 'Lost' };
  deps.metrics.add('SlotsVoided', 1, turn.state.cluster);
  const { slot = now, reservedAt = now } = row.ledger.reservation ?? {};
  // In milliseconds; slots of a burst lie before the moment at which they were given.
  const behind = now - Math.max(slot, reservedAt);
  deps.log.info('slot given up', { cluster: turn.state.cluster, pod: row.key, uid: row.uid, why, behind });
  // A pod that is held back comes again with the sweep, one that was merely late is paced anew at once; and a limiter that
  // stands still must not keep a pod from another that does not.
  if (turn.hops >= longestChain || blocked) return { kind: 'Done' };
  const { cluster } = turn.state;
  const from = row.ledger.reservation?.limiter;
  const wanted = row.ledger.listings.filter(({ limiter }) => why === 'late' || limiter !== from);
  const chain = { hops: turn.hops + 1, ...(why === 'late' ? { late: turn.late + 1 } : {}) };
  await deps.queues.sendPace(wanted.map(({ limiter }) => ({ cluster, limiter, ...chain })));
  return { kind: 'Done' };
}

/** The Event comes first, and its name makes it one for each time. A pod that another taint may evict goes on to that. */
export async function keepFromLoop(
  deps: ClusterStepDependencies,
  turn: Turn,
  { row, loop, ruleSet }: { readonly row: PodRow; readonly loop: Loop; readonly ruleSet: RuleSet },
): Promise<PutBack> {
  const { object: pod, ledger } = row;
  const policy = policyOf(loop.limiter, ruleSet);
  if (policy && ledger)
    await turn.access.events.record(formatLoop({ pod, because: ledger.because, loop, policy, at: deps.clock.now() }));
  const others = (ledger?.loops ?? []).filter(({ limiter }) => limiter !== loop.limiter);
  return putBack(deps, turn, { row, why: 'loop', loops: [...others, loop] });
}
