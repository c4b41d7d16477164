// The tokens of one limiter in one invocation: taken for at most the next second, given out in order, dropped when they are too old.
import { lastUse } from '../../decide/token.ts';
import type { Token } from '../../model/eviction.ts';
import type { Milliseconds } from '../../model/time.ts';
import { type Buckets, returnToBucket, takeFromBucket } from '../../state/bucketRows.ts';
import type { EvictDependencies, Turn } from '../../steps/step.ts';
import type { Known, NextToken, TokenSource } from './round.ts';

/** A crash wastes at most the tokens of so much time. */
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
    // Those of another rate or generation are void.
    if (taken && taken.pace !== pace) await source.returnUnused();
    // So are those that are given back after an edit: the permits of a canary belong to a generation.
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
    // Some may have been given back meanwhile.
    left = [...left, ...tokens.map((at) => ({ limiter, epoch, at, takenAt: now }))];
    const token = left.shift();
    if (token) return { kind: 'Token', token };
    return next === undefined ? { kind: 'Never' } : { kind: 'Later', at: next };
  };
  const source: TokenSource = {
    // Two takes at a time would each refuse the other's write, again and again: who comes second finds what the first has taken for
    // both, or fails with it.
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
