// The rate of every limiter over time, and whether the deletes kept to it.
import { isSame } from '../../lib/decide/same.ts';
import type { Milliseconds } from '../../lib/model/time.ts';
import type { DeleteRequest } from './deleteLog.ts';
import type { Violation } from './judge.ts';
import type { Oracle } from './oracle.ts';

export interface PaceLog {
  /** Records the current rates; called after each change of the cluster. */
  note(): void;
  violations(deletes: readonly DeleteRequest[]): readonly Violation[];
}

interface Span {
  readonly from: number;
  readonly incarnation: string;
  readonly perSecond: number;
  readonly burst: number;
}

/** L + d + 2δ of the bound: the lifetime of a token, the duration of a DELETE, and the skew of clocks. */
export function slackOf(skew: Milliseconds, request: Milliseconds): Milliseconds {
  return 1000 + request + 2 * skew;
}

/**
 * Only deletes that a single limiter can have caused are counted: a pod under several may have used a token of any. Over every
 * window: deletes ≤ burst + the tokens that accrue in the window and the slack, each span of time at the rate in force.
 */
export function createPaceLog(
  oracle: Oracle,
  { now, slack, incarnation }: { now: () => number; slack: Milliseconds; incarnation: () => string },
): PaceLog {
  const spans = new Map<string, Span[]>();
  return {
    note() {
      for (const limiter of oracle.limiters()) {
        const { perSecond, burst } = oracle.rateOf(limiter);
        const mine = spans.get(limiter) ?? [];
        spans.set(limiter, mine);
        const last = mine.at(-1);
        const span = { from: now(), incarnation: incarnation(), perSecond, burst };
        if (!last || !isSame({ ...last, from: span.from }, span)) mine.push(span);
      }
    },
    violations(deletes) {
      const taken = deletes.filter(({ took, because }) => took && because?.length === 1);
      const byLimiter = Map.groupBy(taken, ({ because }) => because?.[0] ?? '');
      return [...byLimiter].flatMap(([limiter, mine]) => overrun(limiter, mine, spans.get(limiter) ?? [], slack));
    },
  };
}

function overrun(
  limiter: string,
  deletes: readonly DeleteRequest[],
  spans: readonly Span[],
  slack: Milliseconds,
): readonly Violation[] {
  const times = deletes.map(({ arrivedAt }) => arrivedAt).toSorted((a, b) => a - b);
  for (const [i, from] of times.entries()) {
    for (const [j, to] of times.entries()) {
      if (j < i) continue;
      const allowed = burstOver(spans, from - slack, to) + accrued(spans, from - slack, to);
      if (j - i + 1 <= allowed + 1e-6) continue;
      const what = `${limiter}: ${j - i + 1} deletes within ${(to - from) / 1000} s, ${allowed.toFixed(2)} are allowed`;
      return [{ law: 'keeps the pace', what }];
    }
  }
  return [];
}

function* partsOf(spans: readonly Span[], from: number, to: number): Generator<Span & { readonly length: number }> {
  for (const [i, span] of spans.entries()) {
    const end = Math.min(to, spans[i + 1]?.from ?? to);
    const begin = Math.max(from, i === 0 ? from : span.from);
    if (end >= begin) yield { ...span, length: end - begin };
  }
}

/** Each incarnation has its own buckets, which are full at its start. */
function burstOver(spans: readonly Span[], from: number, to: number): number {
  const parts = Map.groupBy(partsOf(spans, from, to), ({ incarnation }) => incarnation);
  const bursts = [...parts.values()].map((mine) => Math.max(1, ...mine.map(({ burst }) => burst)));
  return Math.max(
    1,
    bursts.reduce((sum, burst) => sum + burst, 0),
  );
}

function accrued(spans: readonly Span[], from: number, to: number): number {
  return [...partsOf(spans, from, to)].reduce((sum, { perSecond, length }) => sum + (perSecond * length) / 1000, 0);
}
