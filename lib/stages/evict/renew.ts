// Renews token and reads of an eviction that was delayed between its intent and its DELETE.
import { isSame } from '../../decide/same.ts';
import { lastUse, tokenLifetime } from '../../decide/token.ts';
import type { Token } from '../../model/eviction.ts';
import type { Instant, Milliseconds } from '../../model/time.ts';
import { requestOf } from './begin.ts';
import { type Check, check } from './check.ts';
import type { BegunRow, ClaimRows, Round } from './round.ts';
import { tokensAhead } from './tokens.ts';

/** What a DELETE is based on. */
export interface Grant {
  readonly token: Token;
  readonly readAt: Instant;
}

export interface Intent {
  readonly row: BegunRow;
  readonly readAt: Instant;
  readonly claimRows: ClaimRows | undefined;
}

/** Maximum age of the reads that a decision is based on when the DELETE is sent. */
export const readFor: Milliseconds = 1000;

/** Minimum remaining lease when the DELETE is sent: the API client's timeouts, plus clock skew. */
export const leaseLeft: Milliseconds = 8000;

/** Minimum wait for a token that another pod may take first. */
const leastWait: Milliseconds = 50;

/** After a wait for a token, everything is read this long before its time: within the token's life even if calls take long. */
const readsLead: Milliseconds = 400;

interface Renewed {
  readonly token: Token;
  /** What was read before is too old. */
  readonly hasWaited: boolean;
}

/** `undefined` where the pod must be put back, also because its eviction mode has changed. */
export async function renew(round: Round, { row, claimRows }: Intent, grant: Grant): Promise<Grant | undefined> {
  const { deps, limiter, tokens } = round;
  const { clock } = deps;
  const checking = check(round, row, claimRows);
  const isAlive = clock.now() <= lastUse(grant.token);
  // In parallel: one after the other, the first would be too old again if calls take long.
  const [renewed, first] = await Promise.all([
    isAlive ? { token: grant.token, hasWaited: false } : anotherToken(round, row, checking),
    checking,
  ]);
  const checked = renewed?.hasWaited ? await check(round, row, claimRows) : first;
  const request =
    checked.kind === 'Stands'
      ? requestOf(row.ledger, { row, limiter, snapshot: checked.snapshot, now: clock.now() })
      : undefined;
  if (!renewed) return undefined;
  const { token } = renewed;
  if (checked.kind === 'Stands' && isSame(request, row.ledger.request)) {
    const { canarySeat } = row.ledger.token;
    await clock.sleep(Math.max(0, token.at - clock.now()));
    return { token: canarySeat === undefined ? token : { ...token, canarySeat }, readAt: checked.readAt };
  }
  if (!isAlive) tokens.giveBack(token);
  return undefined;
}

/** Waits for the next token while the intent's lease allows it: at a low rate a pod whose calls are slow would be put back each time. */
async function anotherToken(
  { deps: { clock }, tokens, facts, delayed }: Round,
  row: BegunRow,
  checking: Promise<Check>,
): Promise<Renewed | undefined> {
  const until = (row.ledger.leaseUntil ?? 0) - leaseLeft - tokenLifetime;
  let hasWaited = false;
  delayed.add(row.uid);
  try {
    for (;;) {
      const next = await tokens.next(facts, 1);
      if (next.kind === 'Token') {
        const { token } = next;
        await clock.sleep(Math.max(0, token.at - readsLead - clock.now()));
        return { token, hasWaited };
      }
      if (next.kind === 'Never' || next.at > until || (await checking).kind !== 'Stands') return undefined;
      await clock.sleep(Math.max(leastWait, next.at - tokensAhead - clock.now()));
      if (clock.now() > until) return undefined;
      hasWaited = true;
    }
  } finally {
    delayed.delete(row.uid);
  }
}
