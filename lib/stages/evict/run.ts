// One invocation for one limiter: holds its lease, evicts until no pod is due or time is up, and hands the rest to the next one.
import type { EvictMessage } from '../../model/message.ts';
import type { Instant, Milliseconds } from '../../model/time.ts';
import { currentRuleSet } from '../../state/currentRules.ts';
import { endLease, type Lease, releaseLease, renewLease, takeLease } from '../../state/leaseRows.ts';
import { askForReports, rulesPacedBy } from '../../steps/announce.ts';
import { reach, turnTo } from '../../steps/reach.ts';
import type { EvictDependencies, Turn } from '../../steps/step.ts';
import { wakeAtNextToken } from '../../steps/wakes.ts';
import { type Candidates, createCandidates } from './candidates.ts';
import { evictDue, type RoundEnd } from './evictDue.ts';
import { openRound } from './openRound.ts';
import { isAnotherWaiting } from './others.ts';
import type { Round } from './round.ts';

/** Maximum time per invocation: a deployment or roll-back takes effect after this time. */
const longest: Milliseconds = 120_000;

/** Maximum time while pods of other limiters wait. */
const shortest: Milliseconds = 60_000;

/** Invocations in a row that hand a limiter on; AWS Lambda stops a chain of messages after about 16. */
const longestChain = 4;

/** The lease is renewed this often; after it ends, a crashed holder is replaced. */
const renewEvery: Milliseconds = 3000;

/** Polling interval: for a free lease at the end of a chain, and for a table that failed. */
const askEvery: Milliseconds = 500;

export async function evict(deps: EvictDependencies, message: EvictMessage): Promise<void> {
  const turn = turnTo(deps, message);
  const hops = message.hops ?? 0;
  const round = openRound(deps, turn, message);
  const candidates = createCandidates(deps, turn, message.limiter);
  // Read in parallel with incarnation and lease, which all writes wait for; a failed read is repeated.
  round.facts().catch(() => round.lookAgain());
  candidates.look();
  if ((await reach(deps, message)).kind !== 'Reached') return;
  const taken = await takeTurn(deps, turn, { ...message, hops });
  if (!taken) return;
  const holding = { lease: taken, startedAt: deps.clock.now(), hops, candidates };
  try {
    await work(round, holding);
  } catch (error) {
    // Otherwise the redelivered message would find the lease held by no running invocation.
    await giveUp(deps, turn, holding);
    throw error;
  } finally {
    await round.closer.flush();
  }
}

/** Ends the lease; retries while it lasts, since often the table itself failed and may work again in a moment. */
async function giveUp(deps: EvictDependencies, { state }: Turn, { lease }: Holding): Promise<void> {
  while (deps.clock.now() < lease.until) {
    try {
      return await endLease(state, lease);
    } catch (error) {
      deps.log.warn('lease not ended', { cluster: state.cluster, limiter: lease.limiter, why: String(error) });
      await deps.clock.sleep(askEvery);
    }
  }
}

/** A message from the sweep waits for the end of a chain and takes over, so that an eviction of hours keeps its rate. */
async function takeTurn(
  deps: EvictDependencies,
  { state }: Turn,
  { limiter, hops }: EvictMessage & { readonly hops: number },
): Promise<Lease | undefined> {
  const until = deps.clock.now() + longest;
  for (;;) {
    const now = deps.clock.now();
    const taken = await takeLease(state, limiter, { now, hops });
    if (taken.kind === 'Taken') {
      if (taken.isTakenOver) deps.metrics.add('LeasesTakenOver', 1, state.cluster);
      return taken;
    }
    if (hops > 0 || taken.hops < longestChain || now > until) return undefined;
    await deps.clock.sleep(askEvery);
  }
}

interface Holding {
  lease: Lease;
  readonly candidates: Candidates;
  readonly startedAt: Instant;
  readonly hops: number;
}

async function work(round: Round, holding: Holding): Promise<void> {
  const { deps, turn, limiter } = round;
  const { state } = turn;
  for (;;) {
    const end = await evictDue(round, holding.candidates, () => mayGoOn(round, holding));
    await settleRound(round, end);
    switch (end.kind) {
      case 'LeaseLost':
        return;
      case 'TimeUp': {
        if (holding.hops >= longestChain) return endLease(state, holding.lease);
        const hops = holding.hops + 1;
        await endLease(state, holding.lease, { hops, now: deps.clock.now() });
        return deps.queues.sendEvict([{ cluster: state.cluster, limiter, hops }]);
      }
      case 'NobodyDue':
      case 'Kept':
      case 'NextTokenLater': {
        const released = await releaseLease(state, holding.lease);
        if (released.kind === 'Wanted') {
          holding.lease = released.lease;
          round.lookAgain();
          continue;
        }
        // While all pods are held, nothing else requests a report, and the last one may promise a time that has passed.
        if (end.kind === 'Kept')
          return askForReports(deps, state, rulesPacedBy([limiter], (await currentRuleSet(state)).rules));
        return end.kind === 'NextTokenLater' ? wakeAtNextToken(deps, state, { limiter, at: end.at }) : undefined;
      }
      default:
        return end satisfies never;
    }
  }
}

/** Ends a round: returns unused tokens, closes evictions, schedules retries. */
async function settleRound({ tokens, closer, retries }: Round, { kind }: RoundEnd): Promise<void> {
  await Promise.all([tokens.returnUnused(), closer.flush()]);
  // The invocation that took the lease over schedules its own retries.
  if (kind !== 'LeaseLost') await retries.send();
}

/** Checks time and lease; called between two pods. */
async function mayGoOn({ deps, turn, limiter }: Round, holding: Holding): Promise<'Yes' | 'TimeUp' | 'LeaseLost'> {
  const now = deps.clock.now();
  const age = now - holding.startedAt;
  if (age >= longest) return 'TimeUp';
  if (age >= shortest && (await isAnotherWaiting(deps, turn.state, limiter))) return 'TimeUp';
  if (holding.lease.until - now > leaseToRenew) return 'Yes';
  const renewed = await renewLease(turn.state, holding.lease, now);
  if (renewed === 'Lost') return 'LeaseLost';
  holding.lease = renewed;
  return 'Yes';
}

const leaseToRenew: Milliseconds = 10_000 - renewEvery;
