// Converts facts of a progress or an explanation to the input of the gates.
import { canaryState } from '../decide/canary.ts';
import { desertedKey, policyGoneFor } from '../decide/policyGone.ts';
import { policyOf, rateWritten } from '../decide/rate.ts';
import type { LimiterFacts as GateFacts } from '../gates/gate.ts';
import { allOwned } from '../model/ownership.ts';
import type { Pause } from '../model/pause.ts';
import type { Instant } from '../model/time.ts';
import type { LimiterFacts } from './facts.ts';

type Known = Pick<LimiterFacts, 'limiter' | 'rule' | 'policies' | 'seats' | 'unapproved'> & {
  readonly listed: { readonly length: number };
  /** Absent if holds of the whole cluster are reported elsewhere. */
  readonly cluster?: {
    readonly pauses: readonly Pause[];
    readonly isWatched: boolean;
    readonly stop?: string | undefined;
  };
};

/** Without ownership of taints, which is reported for the whole cluster. */
export function gateFactsOf(known: Known, now: Instant): GateFacts {
  const { limiter, rule, policies = [], unapproved, cluster } = known;
  const ruleSet = { rules: rule ? [rule] : [], policies };
  const policy = policyOf(limiter, ruleSet);
  const gone = rule || policy ? undefined : policyGoneFor(desertedKey(limiter), policies);
  const canary = canaryOf(known, { policy, now });
  return {
    now,
    limiter,
    rate: rateWritten(limiter, ruleSet),
    modes: allOwned,
    isWatched: cluster?.isWatched ?? true,
    pauses: cluster?.pauses ?? [],
    ...(cluster?.stop === undefined ? {} : { stop: cluster.stop }),
    ...(rule ? { rule } : {}),
    ...(policy ? { policy } : {}),
    ...(gone === undefined ? {} : { policyGone: gone }),
    ...(unapproved === undefined ? {} : { approval: { reason: 'OverLimits', message: `${unapproved}.` } }),
    ...(canary ? { canary } : {}),
  };
}

function canaryOf(
  { seats, listed }: Known,
  { policy, now }: { readonly policy: GateFacts['policy']; readonly now: Instant },
): GateFacts['canary'] {
  if (!policy?.canary || !seats) return undefined;
  const state = canaryState(policy.canary, seats, now);
  if (state.kind === 'Passed') return undefined;
  const waiting = listed.length - seats.filter(({ deletedAt }) => deletedAt === undefined).length;
  return waiting > 0 ? { policy, state, waiting } : undefined;
}

/** Some of its pods wait for the end of a canary that still evicts, and when that is over is not known. */
export function waitsForCanary({ canary }: GateFacts): boolean {
  return canary?.state.kind === 'Running' && canary.waiting > canary.state.free.length;
}
