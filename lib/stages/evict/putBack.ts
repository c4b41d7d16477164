// Puts a pod that was not evicted back to its limiters, in one write.

import { keptBy } from '../../decide/loop.ts';
import { formatLoop } from '../../decide/loopText.ts';
import type { ApiAnswers, Ledger, Loop } from '../../model/eviction.ts';
import { type PodRow, podRefOf, readPod, writeLedger } from '../../state/podRows.ts';
import { closeRecord } from '../../state/recordRows.ts';
import { unseat, wakeAfterCanary } from '../../steps/canary.ts';
import type { EvictDependencies, Turn } from '../../steps/step.ts';
import type { AskedRow, Round } from './round.ts';

/** `Lost`: another invocation wrote the row first. */
export interface PutBack {
  readonly kind: 'Done' | 'Lost';
}

interface PuttingBack {
  readonly row: PodRow;
  readonly why: string;
  readonly answers?: ApiAnswers;
  readonly change?: Pick<Ledger, 'blocked' | 'failed' | 'loops'>;
}

/** Maximum lost races; each means that another step wrote the row first. */
const attempts = 10;

/**
 * Closes an open intent as abandoned; the next attempt revalidates the pod again. The watch event of the attempt's own PATCH may change
 * the row at any moment: while the row shows the same attempt, it is read again, or the pod would wait until its lease ends.
 */
export async function putBack(deps: EvictDependencies, turn: Turn, by: PuttingBack): Promise<PutBack> {
  let { row } = by;
  for (let attempt = 1; ; attempt++) {
    const written = await putBackOnce(deps, turn, { ...by, row });
    if (written.kind === 'Done' || attempt === attempts) return written;
    const now = await readPod(turn.state, row.key);
    if (!now || !isSameAttempt(now, row)) return written;
    row = now;
  }
}

function isSameAttempt(a: PodRow, b: PodRow): boolean {
  if (a.uid !== b.uid || a.ledger?.state !== 'Deleting' || b.ledger?.state !== 'Deleting') return false;
  return a.ledger.leaseUntil === b.ledger.leaseUntil;
}

async function putBackOnce(deps: EvictDependencies, turn: Turn, by: PuttingBack): Promise<PutBack> {
  const { row, why, answers, change = {} } = by;
  if (!row.ledger) return { kind: 'Done' };
  const { token, leaseUntil: _, request: __, ...open } = row.ledger;
  const now = deps.clock.now();
  const notBefore = Math.max(...[change.blocked, change.failed].flatMap((kept) => kept?.until ?? []));
  const listings = open.listings
    .map((one) => ({ ...one, dueAt: Math.max(one.dueAt, notBefore) }))
    .map((one) => keptBy(one, change.loops ?? []));
  const abandoned =
    row.ledger.state === 'Deleting'
      ? [
          ...closeRecord(turn.state, podRefOf(row), {
            outcome: 'Abandoned',
            why,
            now,
            ...(answers ? { answers } : {}),
          }),
          ...unseat(turn.state, token, { uid: row.uid, deleted: false, now }),
        ]
      : [];
  const ledger: Ledger = { ...open, ...change, listings, state: 'Pending' };
  // Evaluations changed nothing while the pod was Deleting: the sweep requests one, since this stage has no queue for that.
  const evaluation = abandoned.length > 0 ? ({ evaluation: 'Owed' } as const) : {};
  const written = await writeLedger(turn.state, row, { ledger, now, with: abandoned, ...evaluation });
  if (written.kind === 'Lost') return { kind: 'Lost' };
  deps.log.info('pod put back', { cluster: turn.state.cluster, pod: row.key, uid: row.uid, why });
  if (abandoned.length === 0) return { kind: 'Done' };
  await wakeAfterCanary(deps, turn.state, token);
  return { kind: 'Done' };
}

/** Records the Event first; its name makes it unique per time. The pod stays pending under other limiters. */
export async function keepFromLoop(
  round: Round,
  { row, loop }: { readonly row: AskedRow; readonly loop: Loop },
): Promise<PutBack> {
  const { deps, turn } = round;
  const { object: pod, ledger } = row;
  const { policy } = (await round.facts()).facts;
  await turn.access.events.record(formatLoop({ pod, because: ledger.because, loop, policy, at: deps.clock.now() }));
  const others = (ledger.loops ?? []).filter(({ limiter }) => limiter !== loop.limiter);
  return putBack(deps, turn, { row, why: 'loop', change: { loops: [...others, loop] } });
}
