// Evicts one pod with one token, from revalidation to DELETE; repeats when the pod's row changes.
import type { StartOutcome } from '../../decide/concurrency.ts';
import type { Token } from '../../model/eviction.ts';
import { type PodRow, readPod } from '../../state/podRows.ts';
import { begin } from './begin.ts';
import { isCandidate } from './candidates.ts';
import { carryOut } from './carryOut.ts';
import type { ClaimRows, Round } from './round.ts';

/** Maximum lost races per pod; each means that an evaluation wrote the row first. */
const attempts = 6;

export type Started =
  /** `outcome`: how fast the eviction was, if known. */
  | { readonly kind: 'Used'; readonly outcome: StartOutcome | undefined }
  /** Another pod may use the token. */
  | { readonly kind: 'Unused' };

export async function startPod(
  round: Round,
  {
    row: first,
    token,
    claimRows,
  }: { readonly row: PodRow; readonly token: Token; readonly claimRows?: ClaimRows | undefined },
): Promise<Started> {
  const { deps, turn, limiter } = round;
  let row: PodRow | undefined = first;
  for (let attempt = 0; attempt < attempts; attempt++) {
    if (!row?.ledger || row.uid !== first.uid || !isCandidate(row, { limiter, now: deps.clock.now() }))
      return { kind: 'Unused' };
    const known = attempt === 0 ? claimRows : undefined;
    const begun = await begin(round, { row: { ...row, ledger: row.ledger }, token, claimRows: known });
    if (begun.kind === 'Go') return { kind: 'Used', outcome: await carryOut(round, begun) };
    if (begun.kind === 'Stays') {
      passOver(round, row);
      return { kind: 'Unused' };
    }
    row = await readPod(turn.state, first.key);
  }
  if (row) {
    passOver(round, row);
    round.retries.lookSoon();
  }
  return { kind: 'Unused' };
}

/** Skips a pod with a growing back-off, so that pods that cannot be evicted do not block the pods behind them. */
function passOver({ deps, passedOver }: Round, { uid }: PodRow): void {
  const times = (passedOver.get(uid)?.times ?? 0) + 1;
  passedOver.set(uid, { times, until: deps.clock.now() + Math.min(60_000, 500 * 2 ** times) });
}
