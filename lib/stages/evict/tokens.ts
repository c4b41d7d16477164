// The tokens of one limiter in one invocation: taken for at most one second ahead, used in order, dropped when expired.
import { lastUse } from '../../decide/token.ts';
import type { Token } from '../../model/eviction.ts';
import type { Milliseconds } from '../../model/time.ts';
import { type Buckets, returnToBucket, takeFromBucket } from '../../state/bucketRows.ts';
import type { EvictDependencies, Turn } from '../../steps/step.ts';
import type { Known, NextToken, TokenSource } from './round.ts';

/** A crash wastes at most the tokens of this time. */
export const tokensAhead: Milliseconds = 1000;

export function createTokens(
  deps: Pick<EvictDependencies, 'clock' | 'metrics'>,
  { state }: Pick<Turn, 'state'>,
): TokenSource {
  let left: Token[] = [];
  let taken: { readonly seen: Buckets; readonly name: string; readonly pace: string } | undefined;
  const dropOld = () => {
    const now = deps.clock.now();
    const kept = left.filter((token) => lastUse(token) >= now);
    if (kept.length < left.length) deps.metrics.add('TokensDropped', left.length - kept.length, state.cluster);
    left = kept;
  };
  let waiting = 0;
  let underWay: Promise<NextToken> | undefined;
  const take = async (read: () => Promise<Known>, wanted: number): Promise<NextToken> => {
    const { facts, epoch, bucketName: name } = await read();
    const { rate, limiter, clusterLimit: limit } = facts;
    const pace = `${epoch}|${rate.perSecond}/${rate.burst}`;
    // Tokens of another rate or generation are invalid.
    if (taken && taken.pace !== pace) await source.returnUnused();
    // So are tokens given back after an edit: canary permits belong to a generation.
    left = left.filter((token) => token.epoch === epoch);
    dropOld();
    const first = left.shift();
    if (first) return { kind: 'Token', token: first };
    const now = deps.clock.now();
    const { tokens, next, seen } = await takeFromBucket(state, {
      name,
      rate,
      now,
      wanted: Math.max(wanted, waiting),
      ahead: tokensAhead,
      limit,
      seen: taken?.seen,
    });
    taken = { seen, name, pace };
    // Other tokens may have been given back in the meantime.
    left = [...left, ...tokens.map((at) => ({ limiter, epoch, at, takenAt: now }))];
    const token = left.shift();
    if (token) return { kind: 'Token', token };
    return next === undefined ? { kind: 'Never' } : { kind: 'Later', at: next };
  };
  const source: TokenSource = {
    // Two concurrent takes would make each other's conditional write fail again and again: the second caller uses the tokens that
    // the first took for both, or fails with the first.
    async next(known, wanted) {
      waiting++;
      try {
        while (underWay) await underWay;
        underWay = take(known, wanted);
        return await underWay.finally(() => {
          underWay = undefined;
        });
      } finally {
        waiting--;
      }
    },
    giveBack(token) {
      left.unshift(token);
    },
    async returnUnused() {
      const count = left.length;
      left = [];
      if (taken && count > 0) await returnToBucket(state, { name: taken.name, count, seen: taken.seen });
      taken = undefined;
    },
  };
  return source;
}
